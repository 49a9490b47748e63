/**
 * Double binary tree: two trees over the same ranks, such that an inner rank of one tree is a leaf of the other; each
 * tree carries half of the buffer. So every rank sends and receives about 2 S in total, as in a ring, but the number of
 * rounds grows only with log N: NCCL's choice across many nodes. The second tree is the first tree mirrored if N is
 * even, or shifted by one rank if N is odd. Source: Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth
 * broadcast, reduction and scan" (2009); NCCL's ncclGetDtree.
 */
import { at } from '../../base/invariant';
import { bytesOf, type DType } from '../../tensor/shape';
import { barrierFrom } from '../barrier';
import { binaryTree, chunksOf, downRounds, type Flow, flowRounds, flowUs, type Tree, upRounds } from '../binary-tree';
import type { CostRequest } from '../collective';
import { dtypeOf } from '../local-steps';
import { algorithm, type Recipe, together } from '../recipe';
import { bytesOfElements, elementsOf, mod, share } from '../stretches';

export function twoTrees(n: number): readonly [Tree, Tree] {
  const same = (k: number) => k;
  const mirrored = (k: number) => n - 1 - k;
  const first = binaryTree(n, same, same);
  if (n % 2 === 0) return [first, binaryTree(n, mirrored, mirrored)];
  return [
    first,
    binaryTree(
      n,
      (position) => mod(position + 1, n),
      (rank) => mod(rank - 1, n),
    ),
  ];
}

/** The halves of a buffer, each with its tree. */
function flows(n: number, length: number, dtype: DType = 'f32'): readonly Flow[] {
  const parts = chunksOf((length * bytesOf(dtype)) / 2);
  return twoTrees(n).map((tree, k) => ({
    tree,
    stretch: share({ offset: 0, length }, 2, k),
    parts,
    firstChunk: k * parts,
    chunks: 2 * parts,
  }));
}

const flowsOf = (request: CostRequest): readonly Flow[] => flows(request.worldSize, elementsOf(request), request.dtype);

const rounds = (request: CostRequest): number => 2 * Math.max(...flowsOf(request).map(flowRounds));

const allReduce: Recipe = {
  emit(call, run) {
    const n = call.group.ranks.length;
    const both = flows(n, call.length, dtypeOf(call));
    run([
      ...together(...both.map((flow) => upRounds(call, flow))),
      ...together(...both.map((flow) => downRounds(call, flow, n))),
    ]);
  },
  cost: (request) => {
    const both = flowsOf(request);
    const sent = (rank: number): number =>
      both.reduce((sum, { tree, stretch }) => {
        const times = (tree.parents[rank] === undefined ? 0 : 1) + at(tree.children, rank).length;
        return sum + stretch.length * times;
      }, 0);
    return {
      rounds: rounds(request),
      bytesSent: Array.from({ length: request.worldSize }, (_, rank) => bytesOfElements(sent(rank), request)),
      formula: {
        bytes: '2 S; N even: the two roots S; N odd: three ranks S to 1.5 S',
        time: '2 ((D + K - 2) (1.5 alpha + S / (K beta)) + alpha + S / (2 K beta)), D levels, K chunks a tree',
      },
    };
  },
  timeUs(request, link) {
    const half = request.bytes / 2;
    return 2 * Math.max(...flowsOf(request).map(({ tree, parts }) => flowUs(tree, parts, half, link, true)));
  },
};

export const ALGORITHM = algorithm('doubleTree', { allReduce, barrier: barrierFrom(allReduce) });
