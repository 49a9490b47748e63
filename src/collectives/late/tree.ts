/**
 * Binary tree: sums flow up to the root, and down again to all ranks; long buffers are cut into chunks that follow each
 * other through the levels. The number of rounds grows with log N, so it beats the ring for small messages; but an
 * inner rank receives (and sends) two chunks per round, which halves its bandwidth, while the leaves, half of all
 * ranks, do very little. The double tree fixes this. Source: NCCL's trees (src/graph/trees.cc); a tree with root r is
 * the same tree with ranks counted from r.
 */
import { at } from '../../base/invariant';
import { barrierFrom } from '../barrier';
import { binaryTree, chunksOf, downRounds, flowRounds, flowUs, type Tree, upRounds, wholeFlow } from '../binary-tree';
import type { CostRequest } from '../collective';
import { algorithm, type Recipe } from '../recipe';
import { mod } from '../stretches';

function treeOf(n: number, root = 0): Tree {
  return binaryTree(
    n,
    (position) => mod(position + root, n),
    (rank) => mod(rank - root, n),
  );
}

const oneWayUs: Recipe['timeUs'] = ({ bytes, worldSize: n }, link) => flowUs(treeOf(n), chunksOf(bytes), bytes, link);

const ONE_WAY = '(1.5 D + K - 1.5) alpha + (2 D + 2 K - 3) S / (K beta), D levels, K chunks';

const rounds = ({ bytes, worldSize: n, root }: CostRequest): number =>
  flowRounds({ tree: treeOf(n, root), parts: chunksOf(bytes) });

const up = ({ bytes, worldSize: n, root }: CostRequest): readonly number[] =>
  treeOf(n, root).parents.map((parent) => (parent === undefined ? 0 : bytes));
const down = ({ bytes, worldSize: n, root }: CostRequest): readonly number[] =>
  treeOf(n, root).children.map((children) => children.length * bytes);

const broadcast: Recipe = {
  emit(call, run) {
    run(downRounds(call, wholeFlow(call, treeOf(call.group.ranks.length, call.root))));
  },
  cost: (request) => ({
    rounds: rounds(request),
    bytesSent: down(request),
    formula: { bytes: 'S times the children: 0, 1 or 2', time: ONE_WAY },
  }),
  timeUs: oneWayUs,
};

const reduce: Recipe = {
  emit(call, run) {
    run(upRounds(call, wholeFlow(call, treeOf(call.group.ranks.length, call.root))));
  },
  cost: (request) => ({
    rounds: rounds(request),
    bytesSent: up(request),
    formula: { bytes: 'S, the root 0', time: ONE_WAY },
  }),
  timeUs: oneWayUs,
};

const allReduce: Recipe = {
  emit(call, run) {
    const flow = wholeFlow(call, treeOf(call.group.ranks.length));
    run([...upRounds(call, flow), ...downRounds(call, flow, call.group.ranks.length)]);
  },
  cost: (request) => ({
    rounds: 2 * rounds(request),
    bytesSent: up(request).map((bytes, rank) => bytes + at(down(request), rank)),
    formula: {
      bytes: 'S up, but the root, and S to each child',
      time: `2 ((1.5 D + K - 1.5) alpha + (2 D + 2 K - 3) S / (K beta)), D levels, K chunks`,
    },
  }),
  timeUs: (request, link, across) => 2 * oneWayUs(request, link, across),
};

export const ALGORITHM = algorithm('tree', { allReduce, broadcast, reduce, barrier: barrierFrom(allReduce) });
