/**
 * Double binary tree: two trees over the same ranks, built so that who is inside one is a leaf of the other; each
 * carries half of the buffer. So every rank sends and receives about 2 S in all, as round the ring, in a number of
 * rounds that grows with log N only: NCCL's choice across many nodes. The second tree is the first one mirrored where N
 * is even, and moved on by one rank where it is odd. Source: Sanders, Speck, Traeff, "Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan" (2009); NCCL's ncclGetDtree.
 */
import { at } from '../base/invariant';
import { barrierFrom } from './barrier';
import { binaryTree, chunksOf, downRounds, type Flow, flowRounds, flowUs, type Tree, upRounds } from './binary-tree';
import type { CostRequest } from './collective';
import { algorithm, type Recipe, together } from './recipe';
import { elementsOf, mod, share } from './stretches';

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
function flows(n: number, length: number): readonly Flow[] {
  const parts = chunksOf(2 * length);
  return twoTrees(n).map((tree, k) => ({
    tree,
    stretch: share({ offset: 0, length }, 2, k),
    parts,
    firstChunk: k * parts,
    chunks: 2 * parts,
  }));
}

const rounds = ({ bytes, worldSize: n }: CostRequest): number =>
  2 * Math.max(...flows(n, elementsOf(bytes)).map(flowRounds));

const allReduce: Recipe = {
  emit(call, run) {
    const n = call.group.ranks.length;
    const both = flows(n, call.length);
    run([
      ...together(...both.map((flow) => upRounds(call, flow))),
      ...together(...both.map((flow) => downRounds(call, flow, n))),
    ]);
  },
  cost: (request) => {
    const both = flows(request.worldSize, elementsOf(request.bytes));
    const sent = (rank: number): number =>
      both.reduce((sum, { tree, stretch }) => {
        const times = (tree.parents[rank] === undefined ? 0 : 1) + at(tree.children, rank).length;
        return sum + 4 * stretch.length * times;
      }, 0);
    return {
      rounds: rounds(request),
      bytesSent: Array.from({ length: request.worldSize }, (_, rank) => sent(rank)),
      formula: {
        bytes: '2 S; N even: the two roots S; N odd: three ranks S to 1.5 S',
        time: '2 ((D + K - 2) (1.5 alpha + S / (K beta)) + alpha + S / (2 K beta)), D levels, K chunks a tree',
      },
    };
  },
  timeUs({ bytes, worldSize: n }, link) {
    return (
      2 * Math.max(...flows(n, elementsOf(bytes)).map(({ tree, parts }) => flowUs(tree, parts, bytes / 2, link, true)))
    );
  },
};

export const doubleTree = algorithm('doubleTree', { allReduce, barrier: barrierFrom(allReduce) });
