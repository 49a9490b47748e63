/**
 * The keyboard: a table of keys and their actions, and the listener; keys-list.tsx has the words of each key. Keys that
 * are typed into a field keep their meaning, as does Space on a button or on a radio that is not chosen yet.
 */

import { speedOf } from '../pace/pace';
import type { Controller } from '../run/controller';
import type { AppStore } from '../state/store';
import { CHECKPOINTS } from '../stored/checkpoints-id';
import { focusNextPart } from './next-part';

interface Key {
  /** Values of KeyboardEvent.key. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  /** A value of KeyboardEvent.code, for use with Alt: with Alt, KeyboardEvent.key depends on the keyboard layout. */
  readonly altCode?: string;
  readonly label: string;
  readonly act: (controller: Controller, store: AppStore) => void;
}

const speedBy = (change: number) => (controller: Controller, store: AppStore) =>
  controller.setSpeed(speedOf(store.getState().pace) + change);

const KEYS = [
  { keys: [' '], label: 'Space', act: (c, s) => togglePlay(c, s) },
  {
    keys: ['.'],
    label: '.',
    act: (c) => void c.player.step('moment'),
  },
  { keys: [','], label: ',', act: (c) => c.player.stepBack('moment') },
  {
    keys: ['>', '.', ':'],
    shift: true,
    label: 'Shift .',
    act: (c) => void c.player.step('phase'),
  },
  {
    keys: ['<', ',', ';'],
    shift: true,
    label: 'Shift ,',
    act: (c) => c.player.stepBack('phase'),
  },
  { keys: ['n'], label: 'n', act: (c) => void c.player.step('round') },
  { keys: ['N'], shift: true, label: 'Shift n', act: (c) => c.player.stepBack('round') },
  {
    keys: [],
    altCode: 'Period',
    label: 'Alt .',
    act: (c) => void c.player.step('event'),
  },
  { keys: [], altCode: 'Comma', label: 'Alt ,', act: (c) => c.player.stepBack('event') },
  { keys: ['i'], label: 'i', act: (c) => void c.player.stepIteration() },
  { keys: ['+', '='], label: '+', act: speedBy(1) },
  { keys: ['-'], label: '−', act: speedBy(-1) },
  { keys: ['h'], label: 'h', act: (c) => c.toggleHold() },
  { keys: ['r'], label: 'r', act: (c) => void c.reset() },
  { keys: ['t'], label: 't', act: (_, s) => toggleClock(s) },
  {
    keys: ['c'],
    label: 'c',
    act: () => document.getElementById(CHECKPOINTS)?.click(),
  },
  {
    keys: ['p'],
    label: 'p',
    act: () => focusNextPart(1),
  },
  { keys: ['P'], shift: true, label: 'Shift p', act: () => focusNextPart(-1) },
  { keys: ['Escape'], label: 'Esc', act: (_, s) => s.getState().pin(undefined) },
] as const satisfies readonly Key[];

export type KeyLabel = (typeof KEYS)[number]['label'];
export const HELP_KEY = '?';

function togglePlay(controller: Controller, store: AppStore): void {
  if (store.getState().state === 'playing') controller.player.pause();
  else controller.player.play();
}

function toggleClock(store: AppStore): void {
  const { clock, setClock } = store.getState();
  setClock(clock === 'modelled' ? 'measured' : 'modelled');
}

/** True for elements that handle the key themselves. */
function keepsKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('dialog, textarea, select, [contenteditable], [role="dialog"]')) return true;
  if (target instanceof HTMLInputElement) {
    // Space ticks a checkbox and chooses a radio; a chosen radio and a slider ignore it.
    if (target.type === 'checkbox') return key === ' ';
    if (target.type === 'radio') return key === ' ' && !target.checked;
    return target.type !== 'range';
  }
  return key === ' ' && target.closest('button, a, summary, label') !== null;
}

function keyOf({ key, code, shiftKey, altKey }: KeyboardEvent): Key | undefined {
  const all: readonly Key[] = KEYS;
  if (altKey) return all.find((k) => k.altCode === code);
  const plain = all.find((k) => k.keys.includes(key) && (k.shift === undefined || k.shift === shiftKey));
  const found = shiftKey ? (all.find((k) => k.shift && k.keys.includes(key)) ?? plain) : plain;
  return found && (!shiftKey || found.shift || key === '+') ? found : undefined;
}

export function listenToKeys(window: Window, store: AppStore, controller: Controller): void {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || keepsKey(event.target, event.key)) return;
    // The lab handles its own keys.
    if (store.getState().lab) return;
    const found = keyOf(event);
    if (!found) return;
    if (store.getState().lock.has('transport') && event.key !== 'Escape') return;
    // preventDefault() would stop Esc from closing a popover.
    if (event.key !== 'Escape') event.preventDefault();
    found.act(controller, store);
  });
}
