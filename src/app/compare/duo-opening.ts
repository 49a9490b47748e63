/**
 * Sees when one of two compared runs has been opened, reset or restarted: first that what is shown is gone, then, once
 * both have something to show, that they are to meet.
 */
import type { Side } from './side';
import { type BothSides, runs } from './training-turns';

interface OpeningListener {
  /** What is shown is of a run that is gone. */
  onGone(): void;
  /** Both have something to show: once per opening. */
  onReady(): void;
}

/** Returns what ends it. Looks at once. */
export function watchOpenings(sides: BothSides, { onGone, onReady }: OpeningListener): () => void {
  const ready = () => sides.every((side) => runs(side) && side.store.getState().traces.length > 0);
  const seen = () =>
    sides.flatMap(({ store }: Side) => [store.getState().info?.config, store.getState().state === 'loading']);
  let last: readonly unknown[] = [];
  let met = false;
  const look = () => {
    const now = seen();
    if (now.some((value, index) => value !== last[index])) {
      last = now;
      met = false;
      if (!ready()) onGone();
    }
    if (met || !ready()) return;
    met = true;
    onReady();
  };
  const stops = sides.map(({ store }) => store.subscribe(look));
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
