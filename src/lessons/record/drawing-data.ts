/** What drawings are given of runs: read off the recorded runs at build, and put into the page as JSON. */
import type { KindName } from '../drawing/kind-names';
import { dealsOf } from './deal';
import { memoryCurves } from './memory-over-time';
import type { Recorded } from './record-run';
import { twoWays } from './two-ways';

type Reader = (runs: ReadonlyMap<string, Recorded>) => unknown;

const READERS: Readonly<Partial<Record<KindName, Reader>>> = {
  'memory-over-time': memoryCurves,
  deal: dealsOf,
  'two-ways': twoWays,
};

export function dataOf(kind: KindName, runs: ReadonlyMap<string, Recorded>): unknown {
  const read = READERS[kind];
  if (!read) throw new Error(`Drawings of the kind "${kind}" are not drawn from runs.`);
  return read(runs);
}
