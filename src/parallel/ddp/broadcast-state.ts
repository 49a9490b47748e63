/**
 * Resumes a run when only rank 0 has read the checkpoint: rank 0 sends every buffer that outlives a step (parameters,
 * running statistics, optimiser and hook states) to the others, as a script does with dist.broadcast over
 * model.state_dict() and optimizer.state_dict(). Called by axes/.
 */
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { BufferSpec, Program } from '../../program/instruction';
import { RESUME } from '../../protocol/step-kind';
import type { ModeInput } from '../mode-input';
import { broadcast } from './broadcast';

export function broadcastState(input: ModeInput, buffers: readonly BufferSpec[]): Program | undefined {
  const { worldSize } = input.config;
  if (worldSize === 1) return undefined;
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: worldSize }), input.ops);
  for (const lane of builder.lanes) for (const spec of buffers) lane.buffer(spec);
  broadcast(
    { builder, group: builder.mesh.world, source: 0 },
    buffers.map(({ name }) => name),
    { phase: 'broadcast', anchor: 'broadcast', queue: 'comm' },
  );
  return builder.finish('ddp', RESUME);
}
