/**
 * The round that the lab shows, and how it changes: by hand, by keys, or by playing while the lab is visible. Called by
 * lab.tsx.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { lookup } from '../../base/lookup';
import { useUrlSync } from '../address/use-address';
import type { LabSettings } from '../permalink/lab-link';
import { useApp } from '../state/use-app';

const PACE_MS = 1300;

/** Whether the focused element handles the key: fields handle all keys, sliders Home and End, buttons Space. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const range = target instanceof HTMLInputElement && target.type === 'range';
  if (range) return key === 'Home' || key === 'End';
  if (target.closest('input, select, textarea')) return true;
  return key === ' ' && target.closest('button, summary') !== null;
}

export interface Rounds {
  readonly position: number;
  readonly playing: boolean;
  /** Shows other settings; `here`: in the same entry of the browser's history. */
  show(next: LabSettings, how?: 'here'): void;
  /** Goes to this round for the user and ends playing. */
  go(to: number): void;
  toggle(): void;
}

/** `last`: the number of rounds. `seen`: whether the lab is on the screen. */
export function useRounds(lab: LabSettings, last: number, seen: boolean): Rounds {
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const [playing, setPlaying] = useState(false);
  const position = Math.min(lab.round, last);
  const show = useCallback(
    (next: LabSettings, how?: 'here') => {
      setView({ lab: next });
      urlSync.write(how);
    },
    [setView, urlSync],
  );
  const go = useCallback(
    (to: number) => show({ ...lab, round: Math.min(Math.max(to, 0), last) }, 'here'),
    [show, lab, last],
  );
  const byHand = (to: number) => {
    setPlaying(false);
    go(to);
  };
  const toggle = () => {
    if (!playing && position >= last) go(0);
    setPlaying(!playing);
  };
  useEffect(() => {
    if (!playing || !seen) return;
    if (position >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => go(position + 1), PACE_MS);
    return () => clearTimeout(timer);
  }, [playing, seen, position, last, go]);

  useKeys({
    '.': () => byHand(position + 1),
    ',': () => byHand(position - 1),
    Home: () => byHand(0),
    End: () => byHand(last),
    ' ': toggle,
  });
  return { position, playing, show, go: byHand, toggle };
}

/** Handles keys typed anywhere except in a field. */
function useKeys(acts: Readonly<Record<string, () => void>>): void {
  const keys = useRef<(event: KeyboardEvent) => void>(() => undefined);
  keys.current = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKey(event.target, event.key)) return;
    const act = lookup(acts, event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => keys.current(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
