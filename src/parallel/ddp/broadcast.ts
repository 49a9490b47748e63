/**
 * Rank 0's broadcasts: the parameters when DDP is constructed (_sync_module_states), the running statistics before a
 * forward pass (_sync_buffers).
 */
import { initDeviceMesh } from '../../mesh/device-mesh';
import { LOSS_WEIGHTS } from '../../nn/losses';
import { bufferSpecs, parameterList } from '../../nn/model';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { Where } from '../../program/lane-builder';
import { modelHalf } from '../../protocol/half-of';
import type { Group } from '../../protocol/mesh';
import { CONSTRUCT } from '../../protocol/step-kind';
import type { CollectiveRef, DeviceIndex } from '../../protocol/trace';
import { elements } from '../../tensor/shape';
import type { ModeInput } from '../mode-input';
import type { StageGraph } from '../stage-graph';
import { storedAs } from '../stored';

/**
 * DistributedDataParallel(model): broadcasts rank 0's parameters and buffers over the weights that the other ranks
 * drew.
 */
export function construct(input: ModeInput): Program | undefined {
  const { worldSize, model, ddp, precision } = input.config;
  if (worldSize === 1 || !ddp.initSync) return undefined;
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: worldSize }), input.ops);
  const parameters = parameterList(model.layers);
  const half = modelHalf(precision);
  for (const { name, shape } of parameters) {
    const spec = { name, ...storedAs({ shape, dtype: 'f32' }, half), category: 'parameter', persistent: true } as const;
    for (const lane of builder.lanes) lane.buffer({ ...spec, pool: 'parameters' });
  }
  const buffers = bufferSpecs(model.layers);
  for (const { name, ...type } of buffers)
    for (const lane of builder.lanes)
      lane.buffer({ name, ...storedAs(type, half), category: 'buffer', persistent: true });
  broadcast(
    { builder, group: builder.mesh.world, source: 0 },
    [...parameters, ...buffers].map((p) => p.name),
    { phase: 'broadcast', anchor: 'broadcast', queue: 'comm' },
  );
  return builder.finish('ddp', CONSTRUCT);
}

/** The module's buffers, such as running statistics. Class weights belong to the loss, not to the module. */
export const bufferNames = (stage: StageGraph): readonly string[] =>
  stage.graph.values.flatMap((v) => (v.role === 'buffer' && v.name !== LOSS_WEIGHTS ? [v.name] : []));

/** Before the forward pass every rank takes rank 0's running statistics (within join() those of `source`). */
export function broadcastBuffers(builder: ProgramBuilder, group: Group, stage: StageGraph, source: DeviceIndex): void {
  broadcast({ builder, group, source }, bufferNames(stage), { phase: 'broadcast', anchor: 'forward', queue: 'comm' });
  for (const lane of builder.lanesOf(group))
    lane.handOver('comm', 'compute', { phase: 'broadcast', anchor: 'forward' });
}

interface Broadcast {
  readonly builder: ProgramBuilder;
  readonly group: Group;
  /** The device whose values the others of the group take. */
  readonly source: DeviceIndex;
}

/** A tensor in half precision crosses as it is stored, as halves. */
export function broadcast({ builder, group, source }: Broadcast, names: readonly string[], where: Where): void {
  for (const name of names) {
    const { shape, dtype } = builder.lane(source).spec(name);
    const collective: CollectiveRef = {
      seq: builder.nextSeq(group),
      op: 'broadcast',
      algorithm: 'direct',
      tensor: { length: elements(shape), dtype },
      ...(group.id === builder.mesh.world.id ? {} : { group }),
    };
    for (const lane of builder.lanesOf(group).filter(({ device }) => device !== source))
      builder.transfer(
        { device: source, slice: builder.lane(source).whole(name), where },
        { device: lane.device, slice: lane.whole(name), where },
        { name: `${name}.broadcast`, payload: 'parameter', collective },
      );
  }
}
