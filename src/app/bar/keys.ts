/**
 * The keyboard: a table of keys and their actions, which the dialog behind `?` lists, and the listener. Keys typed into
 * a field keep their meaning, as does Space on a button or on a radio that is not chosen yet.
 */

import { speedOf } from '../pace/pace';
import type { Controller } from '../run/controller';
import type { AppStore } from '../state/store';
import { CHECKPOINTS } from '../stored/checkpoints-id';
import { focusNextPart } from './next-part';

export interface Key {
  /** Values of KeyboardEvent.key. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  /** A value of KeyboardEvent.code, for use with Alt: with Alt, KeyboardEvent.key depends on the keyboard layout. */
  readonly altCode?: string;
  readonly label: string;
  readonly does: string;
  readonly act: (controller: Controller, store: AppStore) => void;
}

const speedBy = (change: number) => (controller: Controller, store: AppStore) =>
  controller.setSpeed(speedOf(store.getState().pace) + change);

export const KEYS: readonly Key[] = [
  { keys: [' '], label: 'Space', does: 'Play or pause', act: (c, s) => togglePlay(c, s) },
  {
    keys: ['.'],
    label: '.',
    does: 'Step one moment: what all ranks do together',
    act: (c) => void c.player.step('moment'),
  },
  { keys: [','], label: ',', does: 'One moment back', act: (c) => c.player.stepBack('moment') },
  {
    keys: ['>', '.', ':'],
    shift: true,
    label: 'Shift .',
    does: 'Step one phase: forward, loss, backward, half an all-reduce, update',
    act: (c) => void c.player.step('phase'),
  },
  {
    keys: ['<', ',', ';'],
    shift: true,
    label: 'Shift ,',
    does: 'One phase back',
    act: (c) => c.player.stepBack('phase'),
  },
  { keys: ['n'], label: 'n', does: 'Step one round of a collective', act: (c) => void c.player.step('round') },
  { keys: ['N'], shift: true, label: 'Shift n', does: 'One round back', act: (c) => c.player.stepBack('round') },
  {
    keys: [],
    altCode: 'Period',
    label: 'Alt .',
    does: 'Step a single event of one rank',
    act: (c) => void c.player.step('event'),
  },
  { keys: [], altCode: 'Comma', label: 'Alt ,', does: 'A single event back', act: (c) => c.player.stepBack('event') },
  { keys: ['i'], label: 'i', does: 'Step one iteration', act: (c) => void c.player.stepIteration() },
  { keys: ['+', '='], label: '+', does: 'A faster pace, which then stays', act: speedBy(1) },
  { keys: ['-'], label: '−', does: 'A slower pace, which then stays', act: speedBy(-1) },
  { keys: ['h'], label: 'h', does: 'Hold this pace, or let it double again', act: (c) => c.toggleHold() },
  { keys: ['r'], label: 'r', does: 'Reset to the same start', act: (c) => void c.reset() },
  { keys: ['t'], label: 't', does: 'Modelled or measured time', act: (_, s) => toggleClock(s) },
  {
    keys: ['c'],
    label: 'c',
    does: 'Checkpoints: save and load',
    act: () => document.getElementById(CHECKPOINTS)?.click(),
  },
  {
    keys: ['p'],
    label: 'p',
    does: 'Focus the next part of the page: bar, stage, timeline, set-up, result, code',
    act: () => focusNextPart(1),
  },
  { keys: ['P'], shift: true, label: 'Shift p', does: 'Focus the part before', act: () => focusNextPart(-1) },
  { keys: ['Escape'], label: 'Esc', does: 'Remove the pin', act: (_, s) => s.getState().pin(undefined) },
];
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
  if (altKey) return KEYS.find((k) => k.altCode === code);
  const plain = KEYS.find((k) => k.keys.includes(key) && (k.shift === undefined || k.shift === shiftKey));
  const found = shiftKey ? (KEYS.find((k) => k.shift && k.keys.includes(key)) ?? plain) : plain;
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
