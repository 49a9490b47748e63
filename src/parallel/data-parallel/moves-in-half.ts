/**
 * Scatter and gather of rows in half precision: outputs of replicas under torch.autocast, and their gradients. Two
 * halves share a word, so each device's rows travel in words of their own, and cuda:0 copies halves between these and
 * the tensor of the whole batch. Called by compiler.ts in the place of the moves in float32 (moves.ts).
 */
import { must } from '../../base/invariant';
import { type CopiedRun, runAttrs } from '../../collectives/copied-runs';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Payload } from '../../protocol/trace';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements, type Shape } from '../../tensor/shape';
import { arrivingBuffer, leavingBuffer, packedSpec, unpackArrived } from '../emit-halves';
import type { Replica, ReplicaMove } from './moves';

/** Rows of a buffer of device 0 to the replicas. Device 0 keeps its own rows where they are. */
export function scatterHalves(
  { builder, replicas }: ReplicaMove,
  from: string,
  to: (r: Replica) => string,
  payload: Payload,
  where: Where,
): void {
  const root = builder.lane(0);
  const comm: Where = { ...where, queue: 'comm' };
  const collective = { seq: builder.nextSeq(), op: 'scatter', algorithm: 'direct' } as const;
  const perRow = rowLength(root, from);
  const { format } = halfIn(replicas, to);
  const [own, ...others] = replicas;
  if (own)
    root.compute('ops/copy', [from], [to(own)], { from: 0, to: 0, length: own.count * perRow, view: true }, where);
  const leaving = others.map((r) => wordsOn(root, `${from}.to${r.lane.device}`, r, to(r)));
  const runs = others.map(
    ({ start, count }, operand): CopiedRun => ({
      from: { operand: 0, offset: start * perRow },
      to: { operand, offset: 0 },
      length: count * perRow,
    }),
  );
  root.compute('halves/copy', [from], leaving, runAttrs(runs, format), where);
  root.handOver('compute', 'comm', comm);
  for (const [k, { lane, stage, ...r }] of others.entries()) {
    const target = to({ lane, stage, ...r });
    const arriving = arrivingBuffer(lane, stage.graph, target);
    builder.transfer(
      { device: 0, slice: root.whole(must(leaving[k], 'words')), where: comm },
      { device: lane.device, slice: lane.whole(arriving), where: comm },
      { name: `${target}.scatter`, payload, collective },
    );
    lane.handOver('comm', 'compute', where);
    unpackArrived(lane, stage.graph, target, where);
  }
  root.handOver('comm', 'compute', where);
}

/** The replicas' outputs, one after the other, into a buffer of device 0. */
export function gatherHalves({ builder, replicas }: ReplicaMove, into: string): void {
  const where: Where = { phase: 'gather', anchor: 'gather' };
  const comm: Where = { ...where, queue: 'comm' };
  const root = builder.lane(0);
  const perRow = rowLength(root, into);
  const { format } = halfIn(replicas, ({ stage }) => stage.output);
  const collective = { seq: builder.nextSeq(), op: 'gather', algorithm: 'direct' } as const;
  const came = replicas.map((replica) => {
    const { lane, stage } = replica;
    if (lane.device === 0) return stage.output;
    const leaving = leavingBuffer(lane, stage.graph, stage.output, where);
    const arriving = wordsOn(root, `${into}.from${lane.device}`, replica, stage.output);
    lane.handOver('compute', 'comm', comm);
    builder.transfer(
      { device: lane.device, slice: lane.whole(leaving), where: comm },
      { device: 0, slice: root.whole(arriving), where: comm },
      { name: 'output.gather', payload: 'activation', collective },
    );
    return arriving;
  });
  root.handOver('comm', 'compute', where);
  const { shape } = root.spec(into);
  const words = declareWords(root, into, shape, format);
  const runs = replicas.map(
    ({ start, count }, operand): CopiedRun => ({
      from: { operand, offset: 0 },
      to: { operand: 0, offset: start * perRow },
      length: count * perRow,
    }),
  );
  root.compute('halves/copy', came, [words], runAttrs(runs, format), where);
  root.compute('precision/unpack', [words], [into], { format, shape }, where);
}

const rowLength = (lane: LaneBuilder, buffer: string): number => elements(lane.spec(buffer).shape.slice(1));

/** The replica's tensor of that name: its shape, and its type in half precision. */
function valueIn({ stage }: Replica, tensor: string): { readonly shape: Shape; readonly format: HalfFormat } {
  const { type, half } = must(
    stage.graph.values.find(({ name }) => name === tensor),
    tensor,
  );
  return { shape: type.shape, format: must(half, tensor) };
}

const halfIn = ([first]: readonly Replica[], of: (r: Replica) => string) => {
  const replica = must(first, 'a replica');
  return valueIn(replica, of(replica));
};

/** Words on device 0 for a replica's tensor. */
function wordsOn(root: LaneBuilder, name: string, replica: Replica, tensor: string): string {
  const { shape, format } = valueIn(replica, tensor);
  return declareWords(root, name, shape, format);
}

function declareWords(lane: LaneBuilder, name: string, shape: Shape, format: HalfFormat): string {
  const spec = packedSpec(name, shape, format);
  lane.buffer({ ...spec, category: 'activation' });
  return spec.name;
}
