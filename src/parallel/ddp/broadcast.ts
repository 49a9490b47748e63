/**
 * What rank 0 tells the others: the parameters when DDP is constructed (_sync_module_states), the running statistics
 * before a forward pass (_sync_buffers).
 */
import { initDeviceMesh } from '../../mesh/device-mesh';
import { CLASS_WEIGHTS } from '../../nn/losses';
import { bufferSpecs, parameterList } from '../../nn/model';
import { ProgramBuilder, type Where } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { CONSTRUCT } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { ModeInput } from '../mode';
import type { StageGraph } from '../stage-graph';

/** DistributedDataParallel(model): rank 0's parameters and buffers are broadcast, whatever the others drew. */
export function construct(input: ModeInput): Program | undefined {
  const { worldSize, model, ddp } = input.config;
  if (worldSize === 1 || !ddp.initSync) return undefined;
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: worldSize }), input.ops);
  const parameters = parameterList(model.layers);
  for (const { name, shape } of parameters) {
    for (const lane of builder.lanes)
      lane.buffer({ name, shape, dtype: 'f32', category: 'parameter', persistent: true, pool: 'parameters' });
  }
  const buffers = bufferSpecs(model.layers);
  for (const { name, shape, dtype } of buffers)
    for (const lane of builder.lanes) lane.buffer({ name, shape, dtype, category: 'buffer', persistent: true });
  broadcast(
    builder,
    [...parameters, ...buffers].map((p) => p.name),
    { phase: 'broadcast', anchor: 'broadcast', queue: 'comm' },
  );
  return builder.finish('ddp', CONSTRUCT);
}

/** Running statistics and their like; the class weights are the loss's, not the module's. */
export const bufferNames = (stage: StageGraph): readonly string[] =>
  stage.graph.values.flatMap((v) => (v.role === 'buffer' && v.name !== CLASS_WEIGHTS ? [v.name] : []));

/** Before the forward pass every rank takes rank 0's running statistics (within join() those of `source`). */
export function broadcastBuffers(builder: ProgramBuilder, stage: StageGraph, source: DeviceIndex = 0): void {
  broadcast(builder, bufferNames(stage), { phase: 'broadcast', anchor: 'forward', queue: 'comm' }, source);
  for (const lane of builder.lanes) lane.handOver('comm', 'compute', { phase: 'broadcast', anchor: 'forward' });
}

export function broadcast(
  builder: ProgramBuilder,
  names: readonly string[],
  where: Where,
  source: DeviceIndex = 0,
): void {
  for (const name of names) {
    const seq = builder.nextSeq();
    for (const lane of builder.lanes.filter(({ device }) => device !== source)) {
      builder.transfer(
        { device: source, slice: builder.lane(source).whole(name), where },
        { device: lane.device, slice: lane.whole(name), where },
        { name: `${name}.broadcast`, payload: 'parameter', collective: { seq, op: 'broadcast', algorithm: 'direct' } },
      );
    }
  }
}
