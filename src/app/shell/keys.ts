/**
 * The keyboard: a table of keys with what they do, which the dialog behind `?` prints, and the listener that obeys it.
 * Keys typed into a field stay there; Space on a button stays with it, on a radio while it can still choose it.
 */
import { CHECKPOINTS } from '../checkpoint/checkpoints-id';
import type { Controller } from '../state/controller';
import type { AppStore } from '../state/store';

export interface Key {
  /** As KeyboardEvent.key says it. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  readonly label: string;
  readonly does: string;
  readonly act: (controller: Controller, store: AppStore) => void;
}

const speedBy = (change: number) => (controller: Controller, store: AppStore) =>
  controller.setSpeed(Math.min(Math.max(store.getState().speed + change, 0), 7));

export const KEYS: readonly Key[] = [
  { keys: [' '], label: 'Space', does: 'Play or pause', act: (c, s) => togglePlay(c, s) },
  { keys: ['.'], label: '.', does: 'Step one event forward', act: (c) => void c.player.stepEvent() },
  { keys: [','], label: ',', does: 'Step one event back', act: (c) => c.player.stepBack() },
  {
    keys: ['>', '.'],
    shift: true,
    label: 'Shift .',
    does: 'Step one iteration',
    act: (c) => void c.player.stepIteration(),
  },
  {
    keys: ['<', ',', ';'],
    shift: true,
    label: 'Shift ,',
    does: 'Step one phase',
    act: (c) => void c.player.stepPhase(),
  },
  { keys: ['+', '='], label: '+', does: 'Faster', act: speedBy(1) },
  { keys: ['-'], label: '−', does: 'Slower', act: speedBy(-1) },
  { keys: ['r'], label: 'r', does: 'Reset to the same start', act: (c) => void c.reset() },
  { keys: ['t'], label: 't', does: 'Modelled or measured time', act: (_, s) => toggleClock(s) },
  {
    keys: ['c'],
    label: 'c',
    does: 'Checkpoints: save and load',
    act: () => document.getElementById(CHECKPOINTS)?.click(),
  },
  { keys: ['Escape'], label: 'Esc', does: 'Take the pin away', act: (_, s) => s.getState().pin(undefined) },
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

/** Elements that want the key themselves. */
function keepsKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('dialog, textarea, select, [contenteditable], [role="dialog"]')) return true;
  if (target instanceof HTMLInputElement) {
    // Space ticks a checkbox and chooses a radio; one that is chosen, and a slider, have no use for it.
    if (target.type === 'checkbox') return key === ' ';
    if (target.type === 'radio') return key === ' ' && !target.checked;
    return target.type !== 'range';
  }
  return key === ' ' && target.closest('button, a, summary, label') !== null;
}

export function listenToKeys(window: Window, store: AppStore, controller: Controller): void {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keepsKey(event.target, event.key)) return;
    // The lab has keys of its own.
    if (store.getState().lab) return;
    const key = KEYS.find((k) => k.keys.includes(event.key) && (k.shift === undefined || k.shift === event.shiftKey));
    const found = event.shiftKey ? (KEYS.find((k) => k.shift && k.keys.includes(event.key)) ?? key) : key;
    if (!found || (event.shiftKey && !found.shift && event.key !== '+')) return;
    if (store.getState().lock.has('transport') && event.key !== 'Escape') return;
    event.preventDefault();
    found.act(controller, store);
  });
}
