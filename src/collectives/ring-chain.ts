/**
 * Broadcast and reduce along the ring, cut open at the root: a chain of N-1 links through which the chunks follow each
 * other, as in NCCL. With as many chunks as ranks, the root sends S once for any N. Called by ring.ts.
 */
import type { Rank } from '../protocol/trace';
import type { CostRequest, NumberedCall } from './collective';
import type { Hop, Round } from './hop';
import type { Recipe } from './recipe';
import { messageUs, mod, share } from './stretches';

/** Rank at a position of the chain that starts at the root; the direction is the ring's. */
const rankAt = (position: number, root: Rank, n: number): Rank => mod(root - position, n);

/** In round t, link l (from position l to l+1) carries chunk t - l. */
function chain(call: NumberedCall, hop: (link: number, chunk: number) => Omit<Hop, 'source'>): readonly Round[] {
  const n = call.group.ranks.length;
  return Array.from({ length: Math.max(0, 2 * n - 2) }, (_, t) =>
    Array.from({ length: n - 1 }, (__, link): Round => {
      const chunk = t - link;
      if (chunk < 0 || chunk >= n) return [];
      const stretch = share({ offset: 0, length: call.length }, n, chunk);
      return [{ ...hop(link, chunk), source: { buffer: call.input, ...stretch }, chunk, chunks: n }];
    }).flat(),
  );
}

/** The first chunk takes alpha + w per link, and the N-1 others follow at intervals of alpha / 2 + w. */
const timeUs: Recipe['timeUs'] = ({ bytes, worldSize: n }, link) =>
  (n - 1) * (messageUs(bytes / n, link) + messageUs(bytes / n, { ...link, latencyUs: link.latencyUs / 2 }));

/** All ranks send S except the last of the chain. */
const sent = ({ bytes, worldSize: n }: CostRequest, idle: Rank): readonly number[] =>
  Array.from({ length: n }, (_, rank) => (rank === idle ? 0 : bytes));

const TIME = '(N-1) (1.5 alpha + 2 S / (N beta))';

export const chainBroadcast: Recipe = {
  emit(call, run) {
    const { root = 0, group } = call;
    run(
      chain(call, (l) => ({ from: rankAt(l, root, group.ranks.length), to: rankAt(l + 1, root, group.ranks.length) })),
    );
  },
  cost: (request) => ({
    rounds: 2 * request.worldSize - 2,
    bytesSent: sent(request, rankAt(request.worldSize - 1, request.root ?? 0, request.worldSize)),
    formula: { bytes: 'S, the last of the chain 0', time: TIME },
  }),
  timeUs,
};

/** Towards the root: link l leads from position N-1-l to the previous position. */
export const chainReduce: Recipe = {
  emit(call, run) {
    const { root = 0, group } = call;
    const n = group.ranks.length;
    run(
      chain(call, (l) => ({
        from: rankAt(n - 1 - l, root, n),
        to: rankAt(n - 2 - l, root, n),
        joins: true,
        summed: l + 2,
      })),
    );
  },
  cost: (request) => ({
    rounds: 2 * request.worldSize - 2,
    bytesSent: sent(request, request.root ?? 0),
    formula: { bytes: 'S, the root 0', time: TIME },
  }),
  timeUs,
};
