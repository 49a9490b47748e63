/**
 * The collectives inside a rank's graph (graph/ops/collective) as transfers: the compute queue hands over to the
 * communication queue, where they run after any buckets in flight, as in one shared process group; the first node that
 * reads the result waits for it. A node along an axis runs on every line of that axis, side by side. Called by walk.ts
 * for every such node.
 */
import { at, must } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { Graph, GraphNode } from '../../graph/graph';
import { ALL_GATHER, ALL_REDUCE, BROADCAST, CHUNK, IDENTITY, REDUCE, REDUCE_SCATTER } from '../../graph/ops/collective';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { AlgorithmName, CollectiveOp } from '../../protocol/collective';
import { AXES, type Axis, type Group } from '../../protocol/mesh';
import type { Payload } from '../../protocol/trace';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements, tensorBytes } from '../../tensor/shape';
import type { Arrivals } from './arrivals';
import { callOnWords, packInput, unpackResult, wordsBrought } from './half-collectives';

export interface GraphCollective {
  readonly builder: ProgramBuilder;
  readonly algorithm: AlgorithmName;
  /** All lanes that hold the node's stage. */
  readonly lanes: readonly LaneBuilder[];
  /** Replica groups of the stage: a node without an axis works in each of them. */
  readonly replicaGroups: readonly Group[];
  readonly node: GraphNode;
  /** Names of the buffers, the same on every device. */
  readonly input: string;
  readonly output: string;
  /** The format of the tensors; absent: float32. */
  readonly half?: HalfFormat | undefined;
  readonly payload: Payload;
  /** Remembers that the first reader must wait for the result. */
  readonly arrivals: Arrivals;
}

interface Lowering {
  readonly op: CollectiveOp;
  /** The ranks of the group that first copy the input to the output, because the collective works in place. */
  readonly inPlaceOn?: 'all' | 'first';
  /** Only the first rank of the group has a result; the others get zeros. */
  readonly zerosOnOthers?: true;
}

const LOWERINGS: ReadonlyMap<string, Lowering> = new Map([
  [ALL_REDUCE, { op: 'allReduce', inPlaceOn: 'all' }],
  [ALL_GATHER, { op: 'allGather' }],
  [REDUCE_SCATTER, { op: 'reduceScatter' }],
  [BROADCAST, { op: 'broadcast', inPlaceOn: 'first' }],
  [REDUCE, { op: 'reduce', inPlaceOn: 'all', zerosOnOthers: true }],
]);

/** The collective that a node stands for, if it sends any messages. */
export const collectiveOf = ({ op }: GraphNode): CollectiveOp | undefined => LOWERINGS.get(op)?.op;

/** Bytes that each of the ranks brings to the collective of a node. */
export function bytesBrought({ values }: Graph, node: GraphNode, ranks: number): number {
  const { type, half } = at(values, at(node.inputs, 0));
  const op = must(collectiveOf(node), node.op);
  return half ? 4 * wordsBrought(op, elements(type.shape), ranks) : tensorBytes(type);
}

export function emitCollective(call: GraphCollective): void {
  const { builder, lanes, replicaGroups, node } = call;
  const axis = axisOf(node);
  const groups = axis === undefined ? replicaGroups : new Set(lanes.map(({ rank }) => builder.mesh.group(axis, rank)));
  for (const own of groups) {
    if (node.op === IDENTITY) for (const lane of builder.lanesOf(own)) copy(call, lane);
    else if (node.op === CHUNK) for (const [k, lane] of builder.lanesOf(own).entries()) copyChunk(call, lane, k);
    else emitIn(own, must(LOWERINGS.get(node.op), node.op), call);
  }
}

function axisOf({ op, attrs }: GraphNode): Axis | undefined {
  if (attrs.axis === undefined) return undefined;
  return must(
    AXES.find((axis) => axis === attrs.axis),
    `the axis ${String(attrs.axis)} of ${op}`,
  );
}

function emitIn(group: Group, { op, inPlaceOn, zerosOnOthers }: Lowering, call: GraphCollective): void {
  const { builder, algorithm, input, output, half, payload, node, arrivals } = call;
  const where = whereOf(node);
  const comm: Where = { ...where, queue: 'comm' };
  const lanes = builder.lanesOf(group);
  const first = at(lanes, 0);
  const inHalves = half && { op, format: half, ranks: lanes.length, input, output };
  for (const lane of lanes) {
    if (inHalves) packInput(lane, inHalves, where);
    else if (inPlaceOn === 'all' || (inPlaceOn === 'first' && lane === first)) copy(call, lane);
    lane.handOver('compute', 'comm', comm);
  }
  const inFloats = inPlaceOn === undefined ? { input, output } : { input: output };
  algorithmFor(algorithm, op).emit({
    builder,
    op,
    group,
    ...(inHalves ? callOnWords(first, inHalves) : { ...inFloats, length: elements(first.spec(input).shape) }),
    ...(node.attrs.reduceOp === 'max' ? { reduceOp: 'max' } : {}),
    payload,
    where: comm,
  });
  for (const lane of lanes) {
    if (inHalves) unpackResult(lane, inHalves, comm);
    arrivals.expect(lane, output, where);
    if (!zerosOnOthers || lane === first) continue;
    arrivals.await(lane, [output]);
    const { length } = lane.whole(output);
    lane.compute('comm/fill', [], [output], { from: 0, length, value: 0 }, where);
  }
}

function copy({ node, input, output }: GraphCollective, lane: LaneBuilder): void {
  const { length } = lane.whole(input);
  lane.compute('ops/copy', [input], [output], { from: 0, to: 0, length }, whereOf(node));
}

function copyChunk({ node, input, output }: GraphCollective, lane: LaneBuilder, index: number): void {
  const { length } = lane.whole(output);
  lane.compute('ops/copy', [input], [output], { from: index * length, to: 0, length }, whereOf(node));
}

const whereOf = ({ phase, module }: GraphNode): Where => ({ phase, anchor: phase, module });
