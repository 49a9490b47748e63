/**
 * Detects that one of two compared runs was opened, reset or restarted: reports first that its picture is outdated,
 * then, once both have something to show, that both can go to a common step.
 */
import type { Side } from './side';
import { type BothSides, runs } from './training-turns';

interface OpeningListener {
  /** The shown run no longer exists. */
  onGone(): void;
  /** Both runs have something to show; called once per opening. */
  onReady(): void;
}

/** Checks immediately, then on every change; returns a function that stops watching. */
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
