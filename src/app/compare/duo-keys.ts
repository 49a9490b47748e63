/** The page's keys for play and steps, applied to both compared runs, wherever the dialog's focus is. */
import { useEffect } from 'react';
import { lookup } from '../../base/lookup';
import type { Duo } from './duo';

const KEYS: Readonly<Record<string, (duo: Duo) => void>> = {
  ' ': (duo) => (duo.state.getState().playing ? duo.pause() : duo.play()),
  '.': (duo) => duo.step('moment'),
  ',': (duo) => duo.back('moment'),
  '>': (duo) => duo.step('phase'),
  ':': (duo) => duo.step('phase'),
  '<': (duo) => duo.back('phase'),
  ';': (duo) => duo.back('phase'),
  i: (duo) => duo.iterate(),
};

/** Whether the focused element handles the key itself. */
const keepsKey = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (target.closest('input:not([type="range"]), textarea, select, [contenteditable]') !== null ||
    (key === ' ' && target.closest('button, a, summary, label') !== null));

export function useDuoKeys(duo: Duo): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || keepsKey(event.target, event.key)) return;
      const act = lookup(KEYS, event.key);
      if (!act) return;
      event.preventDefault();
      act(duo);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [duo]);
}
