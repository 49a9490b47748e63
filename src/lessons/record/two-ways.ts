/**
 * Reads the messages of the drawing `two-ways` from runs of the lab and cuts them into chunks: through rank 0 a message
 * has all chunks of the gradient, on the ring it has one.
 */
import { must } from '../../base/invariant';
import type { DrawnHop, WaysOf } from '../drawing/kinds/two-ways';
import type { Recorded } from './record-run';

function hopsOf({ lab }: Recorded): readonly DrawnHop[] {
  const { request, length, rounds } = must(lab, 'a run of the lab');
  const chunk = length / request.worldSize;
  const seen = new Map<string, number>();
  const messages = rounds.flatMap(({ transfers }) => transfers);
  return messages.flatMap(({ from, to, part, source, bytes }) =>
    Array.from({ length: source.length / chunk }, (_, place): DrawnHop => {
      const own = source.offset / chunk + place;
      const key = `${part} ${own}`;
      const index = seen.get(key) ?? 0;
      seen.set(key, index + 1);
      const of = part === 'all-gather' ? part : 'reduce-scatter';
      return { from, to, chunk: own, part: of, index, bytes: (bytes * chunk) / source.length };
    }),
  );
}

/** The runs are named `ring 4`, `naive 8`. */
export function twoWays(runs: ReadonlyMap<string, Recorded>): readonly WaysOf[] {
  const counts = [...new Set([...runs.values()].map(({ lab }) => must(lab, 'a run of the lab').request.worldSize))];
  const way = (name: string) => hopsOf(must(runs.get(name), `the run "${name}"`));
  return counts.map((ranks) => ({ ranks, ring: way(`ring ${ranks}`), naive: way(`naive ${ranks}`) }));
}
