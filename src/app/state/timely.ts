/**
 * A value read from the store, with limited updates. The first change after a pause reaches React before the frame is
 * painted, so the texts agree with the canvases. Changes in quick succession reach React every `everyMs`, and the last
 * change always does. (useSettled reads the store at fixed intervals, so a change may show one interval late.)
 */
import { useRef, useSyncExternalStore } from 'react';
import { useAppStore } from './use-app';

interface Timely<T> {
  readonly value: T;
  subscribe(changed: () => void): () => void;
}

/** `read` is called at every change of the source; `same` compares its results. */
export function timely<T>(
  source: (changed: () => void) => () => void,
  read: () => T,
  { everyMs, same }: { readonly everyMs: number; readonly same: (a: T, b: T) => boolean },
): Timely<T> {
  let value = read();
  return {
    get value() {
      return value;
    },
    subscribe(changed) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let lastMs = Number.NEGATIVE_INFINITY;
      const look = () => {
        timer = undefined;
        const next = read();
        if (same(value, next)) return;
        lastMs = performance.now();
        value = next;
        changed();
      };
      const stop = source(() => {
        if (timer !== undefined) return;
        const left = everyMs - (performance.now() - lastMs);
        if (left <= 0) look();
        else timer = setTimeout(look, left);
      });
      look();
      return () => {
        stop();
        clearTimeout(timer);
      };
    },
  };
}

type State = ReturnType<ReturnType<typeof useAppStore>['getState']>;

/** `select` returns a tuple, and must be the same function at every call. */
export function useTimely<T extends readonly unknown[]>(select: (app: State) => T, everyMs: number): T {
  const store = useAppStore();
  const kept = useRef<Timely<T>>(undefined);
  kept.current ??= timely(store.subscribe, () => select(store.getState()), {
    everyMs,
    same: (a, b) => a.every((item, i) => Object.is(item, b[i])),
  });
  const { current } = kept;
  return useSyncExternalStore(current.subscribe, () => current.value);
}
