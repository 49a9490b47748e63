/**
 * Hierarchical over nodes: a reduce-scatter inside each node, so that each of its ranks holds a part of the node's sum;
 * an all-reduce of every part across the nodes, by the ranks that hold it; an all-gather inside. Over the slow links
 * each rank sends about S / L instead of S, in rounds that grow with the number of nodes, not of ranks. All three are
 * rings. If nodes differ in size, there are as many parts as the smallest node has ranks; on one node it is the plain
 * ring. Source: NCCL's hierarchical rings; Horovod's NCCLHierarchicalAllreduce.
 */
import { at } from '../../base/invariant';
import type { Rank } from '../../protocol/trace';
import { barrierFrom } from '../barrier';
import type { CostRequest } from '../collective';
import type { Round } from '../hop';
import { algorithm, type Recipe, together } from '../recipe';
import { allGatherChunk, allGatherRounds, type RingOf, reduceScatterChunk, reduceScatterRounds } from '../ring-rounds';
import { bytesOfElements, elementsOf, lengthOf, messageUs, type Stretch, share } from '../stretches';

type Nodes = readonly (readonly Rank[])[];

const nodesOf = (worldSize: number, nodes: Nodes | undefined): Nodes =>
  nodes ?? [Array.from({ length: worldSize }, (_, rank) => rank)];

/** Parts of the buffer: one per rank of the smallest node. */
const partsOf = (nodes: Nodes): number => Math.min(...nodes.map((node) => node.length));

/** Part c inside a node of any size; members beyond the number of parts only forward chunks and hold none. */
const partOf = (length: number, parts: number, c: number): Stretch =>
  c < parts ? share({ offset: 0, length }, parts, c) : { offset: length, length: 0 };

const inside = (buffer: string, length: number, nodes: Nodes): readonly RingOf[] =>
  nodes.map((members) => ({
    members,
    chunk: (c) => ({ buffer, ...partOf(length, partsOf(nodes), c) }),
    chunks: partsOf(nodes),
  }));

/** The ranks that hold part p, one per node, reduce its shares. */
const across = (buffer: string, length: number, nodes: Nodes): readonly RingOf[] =>
  Array.from({ length: partsOf(nodes) }, (_, p) => ({
    members: nodes.map((node) => at(node, p)),
    chunk: (c) => ({ buffer, ...share(partOf(length, partsOf(nodes), p), nodes.length, c) }),
    weights: nodes.map((node) => node.length),
    firstChunk: p * nodes.length,
    chunks: partsOf(nodes) * nodes.length,
  }));

const allReduce: Recipe = {
  emit({ group, input, length, nodes: given }, run) {
    const n = group.ranks.length;
    const nodes = nodesOf(n, given);
    const all = (rings: readonly RingOf[], rounds: (ring: RingOf) => readonly Round[]) =>
      together(...rings.map(rounds));
    run([
      ...all(inside(input, length, nodes), reduceScatterRounds),
      ...all(across(input, length, nodes), reduceScatterRounds),
      ...all(across(input, length, nodes), (ring) => allGatherRounds(ring, n)),
      ...all(inside(input, length, nodes), (ring) => allGatherRounds(ring, n)),
    ]);
  },
  cost(request) {
    const n = request.worldSize;
    const nodes = nodesOf(n, request.nodes);
    const largest = Math.max(...nodes.map((node) => node.length));
    const length = elementsOf(request);
    const rings = [...inside('', length, nodes), ...across('', length, nodes)];
    const sent = (rank: Rank): number => rings.reduce((sum, ring) => sum + sentBy(rank, ring), 0);
    return {
      rounds: 2 * (largest - 1) + 2 * (nodes.length - 1),
      bytesSent: Array.from({ length: n }, (_, rank) => bytesOfElements(sent(rank), request)),
      formula: {
        bytes: '2 (L-1)/L S inside, 2 (M-1)/M S/L across; M nodes of L ranks',
        time: '2 (L-1) (alpha + S / (L beta)) + 2 (M-1) (alpha2 + S / (L M beta2)); M nodes of L ranks, alpha2, beta2 across',
      },
    };
  },
  timeUs: hierarchicalUs,
};

/** Elements that a rank sends in both halves of an all-reduce around one ring. */
function sentBy(rank: Rank, { members, chunk }: RingOf): number {
  const n = members.length;
  const r = members.indexOf(rank);
  if (r < 0) return 0;
  const rounds = Array.from({ length: n - 1 }, (_, round) => round);
  return lengthOf(
    rounds.flatMap((round) => [chunk(reduceScatterChunk(r, round, n)), chunk(allGatherChunk(r, round, n))]),
  );
}

function hierarchicalUs({ bytes, worldSize, nodes: given }: CostRequest, link: Link, over: Link): number {
  const nodes = nodesOf(worldSize, given);
  const largest = Math.max(...nodes.map((node) => node.length));
  const part = bytes / partsOf(nodes);
  return 2 * (largest - 1) * messageUs(part, link) + 2 * (nodes.length - 1) * messageUs(part / nodes.length, over);
}
type Link = Parameters<Recipe['timeUs']>[1];

export const ALGORITHM = algorithm('hierarchical', { allReduce, barrier: barrierFrom(allReduce) });
