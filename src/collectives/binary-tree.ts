/**
 * NCCL's binary tree over positions 0 .. n-1 (ncclGetBtree): odd positions are leaves, the root is 0 and has one child,
 * the others' parents differ from them in one bit. Also the flows through a tree: chunks move up and are combined on
 * the way, or move down. In every round a position handles one chunk, so that the chunks of a long buffer follow each
 * other through the levels. Called by tree.ts and double-tree.ts.
 */
import { at } from '../base/invariant';
import type { Link } from '../protocol/collective';
import type { Rank } from '../protocol/trace';
import { bytesOf } from '../tensor/shape';
import type { NumberedCall } from './collective';
import type { Hop, Round } from './hop';
import { dtypeOf } from './local-steps';
import { type Stretch, share } from './stretches';

export interface Tree {
  /** By rank; the root has none. */
  readonly parents: readonly (Rank | undefined)[];
  readonly children: readonly (readonly Rank[])[];
  /** Number of hops from the root, by rank. */
  readonly depths: readonly number[];
  readonly depth: number;
  /** Number of ranks in each rank's subtree. */
  readonly sizes: readonly number[];
}

function parentOf(position: number, n: number): number | undefined {
  if (position === 0) return undefined;
  const bit = position & -position;
  const up = (position ^ bit) | (bit << 1);
  return up < n ? up : position ^ bit;
}

/** `rankAt`: a permutation of 0 .. n-1; `positionOf` its inverse. */
export function binaryTree(n: number, rankAt: (position: number) => Rank, positionOf: (rank: Rank) => number): Tree {
  const parents = Array.from({ length: n }, (_, rank) => {
    const up = parentOf(positionOf(rank), n);
    return up === undefined ? undefined : rankAt(up);
  });
  const depthOf = (rank: Rank): number => {
    const parent = parents[rank];
    return parent === undefined ? 0 : 1 + depthOf(parent);
  };
  const children = parents.map((_, rank) => [...parents.keys()].filter((other) => parents[other] === rank));
  const sizeOf = (rank: Rank): number => at(children, rank).reduce((sum, child) => sum + sizeOf(child), 1);
  const depths = parents.map((_, rank) => depthOf(rank));
  return { parents, children, depths, depth: Math.max(...depths), sizes: parents.map((_, rank) => sizeOf(rank)) };
}

/**
 * Chunks of at least 64 KiB, eight at most: enough to keep all levels busy, few enough that latency does not dominate.
 */
const CHUNK_BYTES = 65_536;
const MOST_CHUNKS = 8;
export const chunksOf = (bytes: number): number => Math.max(1, Math.min(MOST_CHUNKS, Math.floor(bytes / CHUNK_BYTES)));

/** The data that flows through a tree: a stretch of the call's input in chunks. */
export interface Flow {
  readonly tree: Tree;
  readonly stretch: Stretch;
  readonly parts: number;
  /** Number of the first chunk and of all chunks, for display. */
  readonly firstChunk?: number;
  readonly chunks?: number;
}

const chunkOf = ({ input }: NumberedCall, flow: Flow, k: number): Pick<Hop, 'source' | 'chunk' | 'chunks'> => ({
  source: { buffer: input, ...share(flow.stretch, flow.parts, k) },
  chunk: (flow.firstChunk ?? 0) + k,
  chunks: flow.chunks ?? flow.parts,
});

/** Rounds of one direction; `parts` chunks through `depth` levels. */
export const flowRounds = ({ tree, parts }: Pick<Flow, 'tree' | 'parts'>): number =>
  tree.depth === 0 ? 0 : tree.depth + parts - 1;

/**
 * One direction of `bytes` in `parts` chunks, to first order: a parent takes the chunks of two children one after the
 * other, so a level costs the first chunk 1.5 alpha + 2 w, the root's one child alpha + w, and the other chunks follow
 * at intervals of alpha + 2 w. In a chain (N < 4) a level costs alpha + w, and chunks follow at alpha / 2 + w. `busy`:
 * every rank alternates between sending and receiving; chunks then follow at the cost of a level.
 */
export function flowUs({ depth, children }: Tree, parts: number, bytes: number, link: Link, busy = false): number {
  const wide = Math.max(...children.map((each) => each.length));
  const wireUs = (1e6 * bytes) / (parts * link.bytesPerSecond);
  const level = ((1 + wide) / 2) * link.latencyUs + wide * wireUs;
  const apart = busy ? level : (wide / 2) * link.latencyUs + wide * wireUs;
  return (depth - 1) * level + link.latencyUs + wireUs + (parts - 1) * apart;
}

/** Towards the root, combined at every rank. A parent combines its children's chunks in order. */
export function upRounds(call: NumberedCall, flow: Flow): readonly Round[] {
  const { parents, depths, depth, sizes, children } = flow.tree;
  return Array.from({ length: flowRounds(flow) }, (_, t) =>
    parents.flatMap((to, from): Hop[] => {
      const k = t - (depth - at(depths, from));
      if (to === undefined || k < 0 || k >= flow.parts) return [];
      const before = at(children, to).slice(0, at(children, to).indexOf(from) + 1);
      const summed = before.reduce((sum, child) => sum + at(sizes, child), 1);
      return [{ from, to, ...chunkOf(call, flow, k), joins: true, summed }];
    }),
  );
}

/** From the root to all ranks. `summed`: number of ranks whose sum the chunks hold, if they hold a sum. */
export function downRounds(call: NumberedCall, flow: Flow, summed?: number): readonly Round[] {
  const { parents, depths } = flow.tree;
  return Array.from({ length: flowRounds(flow) }, (_, t) =>
    parents.flatMap((from, to): Hop[] => {
      const k = t - (at(depths, to) - 1);
      if (from === undefined || k < 0 || k >= flow.parts) return [];
      return [{ from, to, ...chunkOf(call, flow, k), ...(summed === undefined ? {} : { summed }) }];
    }),
  );
}

/** Chunks of a whole call. */
export const wholeFlow = (call: NumberedCall, tree: Tree): Flow => ({
  tree,
  stretch: { offset: 0, length: call.length },
  parts: chunksOf(call.length * bytesOf(dtypeOf(call))),
});
