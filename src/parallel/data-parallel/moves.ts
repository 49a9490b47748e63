/**
 * DataParallel's transfers between devices: scatter and gather of rows (scatter_gather.py, comm.py), replicate before
 * the forward pass and reduce_add_coalesced after the backward pass, both in flat pieces (replicate.py, _functions.py,
 * csrc/cuda/comm.cpp). cuda:0 copies on its own stream, so its next kernel waits until the copies have been sent. As in
 * torch without NCCL, every copy goes from or to cuda:0, and the sum runs in device order. Called by compiler.ts.
 */
import { at } from '../../base/invariant';
import { LOSS_WEIGHTS } from '../../nn/losses';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Payload } from '../../protocol/trace';
import { elements } from '../../tensor/shape';
import type { StageGraph } from '../stage-graph';
import { declarePiece, flattenPiece, piecesOf, tensorsOf, unflattenPiece } from './coalesced';

export interface Replica {
  readonly lane: LaneBuilder;
  readonly start: number;
  readonly count: number;
  readonly stage: StageGraph;
}

export interface ReplicaMove {
  readonly builder: ProgramBuilder;
  readonly replicas: readonly Replica[];
}

/** Sends rows of a buffer of device 0 to the replicas; device 0 keeps its own part, in PyTorch as a view. */
export function scatter(
  { builder, replicas }: ReplicaMove,
  from: string,
  to: (r: Replica) => string,
  payload: Payload,
  where: Where,
): void {
  const root = builder.lane(0);
  const perRow = elements(root.spec(from).shape.slice(1));
  const comm: Where = { ...where, queue: 'comm' };
  const collective = { seq: builder.nextSeq(), op: 'scatter', algorithm: 'direct' } as const;
  root.handOver('compute', 'comm', comm);
  for (const [d, r] of replicas.entries()) {
    const target = to(r);
    const slice = { buffer: from, offset: r.start * perRow, length: r.count * perRow };
    if (d === 0) {
      const attrs = { from: slice.offset, to: 0, length: slice.length, view: true };
      root.compute('ops/copy', [from], [target], attrs, where);
    } else {
      builder.transfer(
        { device: 0, slice, where: comm },
        { device: d, slice: r.lane.whole(target), where: comm },
        { name: `${target}.scatter`, payload, collective },
      );
      r.lane.handOver('comm', 'compute', where);
    }
  }
  root.handOver('comm', 'compute', where);
}

/**
 * Sends device 0's parameters and buffers to every replica, in each forward pass. What replicas write into buffers is
 * lost.
 */
export function replicate({ builder, replicas }: ReplicaMove): void {
  const { graph, registered } = at(replicas, 0).stage;
  const buffers = graph.values.filter((v) => v.role === 'buffer' && v.name !== LOSS_WEIGHTS);
  broadcastCoalesced(
    { builder, replicas },
    registered.map((p) => p.name),
    'parameters',
  );
  broadcastCoalesced(
    { builder, replicas },
    buffers.map((b) => b.name),
    'buffers',
  );
}

/** A piece is flattened and sent to each replica before the next one is flattened. */
function broadcastCoalesced({ builder, replicas }: ReplicaMove, names: readonly string[], what: string): void {
  const where: Where = { phase: 'replicate', anchor: 'replicate' };
  const comm: Where = { ...where, queue: 'comm' };
  const root = builder.lane(0);
  for (const [k, piece] of piecesOf(tensorsOf(root, names), 'after').entries()) {
    const flat = `flat.${what}.${k}`;
    const collective = { seq: builder.nextSeq(), op: 'broadcast', algorithm: 'direct' } as const;
    const source = declarePiece(root, piece, flat);
    flattenPiece(root, piece, flat, where);
    root.handOver('compute', 'comm', comm);
    for (const { lane } of replicas.slice(1)) {
      const target = declarePiece(lane, piece, flat);
      builder.transfer(
        { device: 0, slice: root.whole(source), where: comm },
        { device: lane.device, slice: lane.whole(target), where: comm },
        { name: `${source}.replicate`, payload: 'parameter', collective },
      );
      lane.handOver('comm', 'compute', where);
      unflattenPiece(lane, piece, flat, where);
    }
    root.handOver('comm', 'compute', where);
  }
}

/** Concatenates the replicas' outputs in a buffer of device 0. */
export function gather({ builder, replicas }: ReplicaMove, into: string): void {
  const where: Where = { phase: 'gather', anchor: 'gather' };
  const comm: Where = { ...where, queue: 'comm' };
  const root = builder.lane(0);
  const perRow = elements(root.spec(into).shape.slice(1));
  const collective = { seq: builder.nextSeq(), op: 'gather', algorithm: 'direct' } as const;
  for (const [d, { lane, stage, start, count }] of replicas.entries()) {
    const slice = { buffer: into, offset: start * perRow, length: count * perRow };
    if (d === 0) {
      root.compute('ops/copy', [stage.output], [into], { from: 0, to: slice.offset, length: slice.length }, where);
    } else {
      lane.handOver('compute', 'comm', comm);
      builder.transfer(
        { device: d, slice: lane.whole(stage.output), where: comm },
        { device: 0, slice, where: comm },
        { name: 'output.gather', payload: 'activation', collective },
      );
    }
  }
  root.handOver('comm', 'compute', where);
}

/** Broadcast.backward: adds the replicas' gradients to device 0's, in device order, and does not average them. */
export function reduceAddCoalesced({ builder, replicas }: ReplicaMove): void {
  const where: Where = { phase: 'reduce', anchor: 'reduce' };
  const comm: Where = { ...where, queue: 'comm' };
  const root = builder.lane(0);
  const gradients = at(replicas, 0).stage.parameters.map(({ fresh }) => fresh);
  for (const [k, piece] of piecesOf(tensorsOf(root, gradients), 'before').entries()) {
    const flat = `flat.gradients.${k}`;
    const seq = builder.nextSeq();
    for (const { lane } of replicas) {
      declarePiece(lane, piece, flat);
      flattenPiece(lane, piece, flat, where);
      lane.handOver('compute', 'comm', comm);
    }
    const sum = declarePiece(root, piece, flat);
    for (const { lane } of replicas.slice(1)) {
      const collective = { seq, op: 'reduce', algorithm: 'direct', summed: lane.device + 1 } as const;
      builder.transfer(
        { device: lane.device, slice: lane.whole(sum), where: comm },
        { device: 0, slice: root.whole(sum), where: comm },
        { name: `${sum}.reduce`, payload: 'gradient', apply: 'add', collective },
      );
    }
    root.handOver('comm', 'compute', where);
    unflattenPiece(root, piece, flat, where);
  }
}
