/**
 * Naive: all data goes through one rank, as through a parameter server, or straight from its owner to its reader. Sums
 * run in rank order from the root on. Correct, easy to follow, and supports every collective; kept for comparison with
 * the others: the root's port carries N-1 times as much as the others', and the others wait for the root.
 */
import type { Rank, Slice } from '../protocol/trace';
import { barrierFrom } from './barrier';
import type { NumberedCall } from './collective';
import type { Hop, Round } from './hop';
import { block, broughtBy, copyOwn, outputOf, partialSums, placeOwn, scaleInput } from './local-steps';
import { algorithm, type Recipe } from './recipe';
import { burstUs, messageUs, mod } from './stretches';

const others = ({ group, root = 0 }: NumberedCall): readonly Rank[] =>
  [...group.ranks.keys()].filter((rank) => rank !== root);

/** One round per message, because the root's port handles one message at a time. */
const inTurn = (ranks: readonly Rank[], hop: (rank: Rank, k: number) => Hop): readonly Round[] =>
  ranks.map((rank, k) => [hop(rank, k)]);

/** Bytes sent by rank: the root sends `root`, the others send `other`. */
const sent = (n: number, root: number, other: number, rootRank = 0): readonly number[] =>
  Array.from({ length: n }, (_, rank) => (rank === rootRank ? root : other));

function reduceRounds(call: NumberedCall, buffer: string): readonly Round[] {
  const { root = 0 } = call;
  const source: Slice = { buffer, offset: 0, length: call.length };
  return inTurn(others(call), (from, k) => ({
    from,
    to: root,
    source,
    joins: true,
    summed: k + 2,
    chunk: 0,
    chunks: 1,
  }));
}

function broadcastRounds(call: NumberedCall, source: Slice): readonly Round[] {
  const { root = 0, group } = call;
  const whole = call.op === 'allReduce' ? { summed: group.ranks.length, chunk: 0, chunks: 1 } : {};
  return inTurn(others(call), (to) => ({ from: root, to, source, ...whole }));
}

const allReduce: Recipe = {
  emit(call, run) {
    const source = { buffer: call.input, offset: 0, length: call.length };
    run([...reduceRounds(call, call.input), ...broadcastRounds(call, source)]);
  },
  cost: ({ bytes, worldSize: n }) => ({
    rounds: 2 * (n - 1),
    bytesSent: sent(n, (n - 1) * bytes, bytes),
    formula: { bytes: 'root (N-1) S, others S', time: 'N alpha + 2 (N-1) S / beta' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => 2 * burstUs(n - 1, bytes, link),
};

const broadcast: Recipe = {
  emit(call, run) {
    run(broadcastRounds(call, { buffer: call.input, offset: 0, length: call.length }));
  },
  cost: ({ bytes, worldSize: n, root }) => ({
    rounds: n - 1,
    bytesSent: sent(n, (n - 1) * bytes, 0, root),
    formula: { bytes: 'root (N-1) S, others 0', time: 'N/2 alpha + (N-1) S / beta' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => burstUs(n - 1, bytes, link),
};

const reduce: Recipe = {
  emit(call, run) {
    run(reduceRounds(call, call.input));
  },
  cost: ({ bytes, worldSize: n, root }) => ({
    rounds: n - 1,
    bytesSent: sent(n, 0, bytes, root),
    formula: { bytes: 'root 0, others S', time: 'N/2 alpha + (N-1) S / beta' },
  }),
  timeUs: broadcast.timeUs,
};

const scatter: Recipe = {
  emit(call, run) {
    const { root = 0, input, group } = call;
    const length = call.length / group.ranks.length;
    copyOwn(call, root, block(input, length, root), block(outputOf(call), length, 0));
    run(
      inTurn(others(call), (to) => ({
        from: root,
        to,
        source: block(input, length, to),
        target: block(outputOf(call), length, 0),
      })),
    );
  },
  cost: ({ bytes, worldSize: n, root }) => ({
    rounds: n - 1,
    bytesSent: sent(n, ((n - 1) * bytes) / n, 0, root),
    formula: { bytes: 'root (N-1)/N S, others 0', time: 'N/2 alpha + (N-1)/N S / beta' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => burstUs(n - 1, bytes / n, link),
};

function gatherRounds(call: NumberedCall, root: Rank): readonly Round[] {
  const { length } = call;
  placeOwn(call, root);
  return inTurn(others({ ...call, root }), (from) => ({
    from,
    to: root,
    source: broughtBy(call, from),
    target: block(outputOf(call), length, from),
  }));
}

const gather: Recipe = {
  emit(call, run) {
    run(gatherRounds(call, call.root ?? 0));
  },
  cost: reduce.cost,
  timeUs: reduce.timeUs,
};

const allGather: Recipe = {
  emit(call, run) {
    const whole = { buffer: outputOf(call), offset: 0, length: call.length * call.group.ranks.length };
    run([...gatherRounds(call, 0), ...broadcastRounds(call, whole)]);
  },
  cost: ({ bytes, worldSize: n }) => ({
    rounds: 2 * (n - 1),
    bytesSent: sent(n, (n - 1) * n * bytes, bytes),
    formula: { bytes: 'root N (N-1) S, others S', time: 'N alpha + (N-1) (N+1) S / beta' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => burstUs(n - 1, bytes, link) + burstUs(n - 1, n * bytes, link),
};

const reduceScatter: Recipe = {
  emit(call, run) {
    const { length, group } = call;
    const own = length / group.ranks.length;
    const buffer = partialSums(call);
    if (call.reduceOp === 'avg') scaleInput(call, buffer);
    const out = block(outputOf(call), own, 0);
    run([
      ...reduceRounds(call, buffer),
      ...inTurn(others(call), (to) => ({
        from: 0,
        to,
        source: block(buffer, own, to),
        target: out,
        summed: group.ranks.length,
      })),
    ]);
    copyOwn(call, 0, block(buffer, own, 0), out);
  },
  cost: ({ bytes, worldSize: n }) => ({
    rounds: 2 * (n - 1),
    bytesSent: sent(n, ((n - 1) * bytes) / n, bytes),
    formula: { bytes: 'root (N-1)/N S, others S', time: 'N alpha + ((N-1) + (N-1)/N) S / beta' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => burstUs(n - 1, bytes, link) + burstUs(n - 1, bytes / n, link),
};

/** In round k rank r sends to r + k: every port is busy in every round. */
const allToAll: Recipe = {
  emit(call, run) {
    const { input, group } = call;
    const n = group.ranks.length;
    const own = call.length / n;
    for (const rank of group.ranks.keys())
      copyOwn(call, rank, block(input, own, rank), block(outputOf(call), own, rank));
    run(
      Array.from({ length: n - 1 }, (_, k) =>
        [...group.ranks.keys()].map((from): Hop => {
          const to = mod(from + k + 1, n);
          return { from, to, source: block(input, own, to), target: block(outputOf(call), own, from) };
        }),
      ),
    );
  },
  cost: ({ bytes, worldSize: n }) => ({
    rounds: n - 1,
    bytesSent: Array.from({ length: n }, () => ((n - 1) * bytes) / n),
    formula: { bytes: '(N-1)/N S', time: '(N-1) (alpha + S / (N beta))' },
  }),
  timeUs: ({ bytes, worldSize: n }, link) => (n - 1) * messageUs(bytes / n, link),
};

export const naive = algorithm('naive', {
  allReduce,
  broadcast,
  reduce,
  scatter,
  gather,
  allGather,
  reduceScatter,
  allToAll,
  barrier: barrierFrom(allReduce),
});
