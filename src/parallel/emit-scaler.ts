/**
 * torch.amp.GradScaler as instructions: backward begins with the scale, the gradients are unscaled before they are
 * clipped, the optimiser skips a step with an inf or a NaN, and the scale changes after it. Ranks with different pieces
 * of the model tell one another whether one of them has found an inf or a NaN, so that all skip or none; so do the
 * devices of one process. Loaded for runs with a GradScaler; called by step/walk and emit-optimizer.
 */
import { algorithmFor } from '../collectives/algorithms';
import type { ProgramBuilder } from '../program/builder';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { Config } from '../protocol/config';
import type { Axis } from '../protocol/mesh';
import { changeGradients } from './change-gradients';
import { FOUND_INF, GROWTH_TRACKER, SCALE, SKIPPED } from './scaler-buffers';

type Scaled = Pick<Config, 'gradScaler'> & { readonly ddp?: Pick<Config['ddp'], 'algorithm'> };

const UNSCALE: Where = { phase: 'step', anchor: 'unscale' };
const STEP: Where = { phase: 'step', anchor: 'step' };
const UPDATE: Where = { phase: 'step', anchor: 'update_scale' };

function declare(lane: LaneBuilder, { gradScaler }: Scaled): void {
  const one = { shape: [1], dtype: 'f32', category: 'optimizer', persistent: true } as const;
  lane.buffer({ ...one, name: SCALE, fill: gradScaler.initScale });
  for (const name of [GROWTH_TRACKER, FOUND_INF, SKIPPED]) lane.buffer({ ...one, name, fill: 0 });
}

/** scaler.scale(loss): writes the gradient from which backward starts, once the loss is computed. */
export function emitScaledSeed(lane: LaneBuilder, config: Scaled, factor: number): void {
  declare(lane, config);
  lane.compute('scaler/scale-loss', [SCALE], ['loss.grad'], { factor }, { phase: 'loss', anchor: 'backward' });
}

/** scaler.unscale_(optimizer) on one device. */
export function emitUnscale(lane: LaneBuilder, config: Scaled, gradients: readonly string[]): void {
  declare(lane, config);
  changeGradients(lane, gradients, UNSCALE, (own) =>
    lane.compute('scaler/unscale', [SCALE, FOUND_INF, ...own], [FOUND_INF, ...own], {}, UNSCALE),
  );
}

/**
 * Devices of one process skip together: the first device hears what each of the others has found, as in scaler.step(),
 * and tells them.
 */
export function emitFoundInfOfDevices(builder: ProgramBuilder, lanes: readonly LaneBuilder[]): void {
  const [root, ...others] = lanes;
  if (!root) return;
  const comm: Where = { ...UNSCALE, queue: 'comm' };
  const end = (lane: LaneBuilder) => ({ device: lane.device, slice: lane.whole(FOUND_INF), where: comm });
  for (const lane of lanes) lane.handOver('compute', 'comm', comm);
  for (const lane of others)
    builder.transfer(end(lane), end(root), { name: FOUND_INF, payload: 'gradient', apply: 'max' });
  for (const lane of others) builder.transfer(end(root), end(lane), { name: FOUND_INF, payload: 'gradient' });
  for (const lane of lanes) lane.handOver('comm', 'compute', UNSCALE);
}

/** Ranks with pieces of one replica of the model along these axes skip together. */
export function emitFoundInf(
  builder: ProgramBuilder,
  config: Scaled,
  lanes: readonly LaneBuilder[],
  piecesAlong: readonly Axis[],
): void {
  const [first] = lanes;
  if (!first) return;
  const comm: Where = { ...UNSCALE, queue: 'comm' };
  for (const lane of lanes) lane.handOver('compute', 'comm', comm);
  algorithmFor(config.ddp?.algorithm ?? 'ring', 'allReduce').emit({
    builder,
    op: 'allReduce',
    group: builder.mesh.plane(piecesAlong, first.rank),
    input: FOUND_INF,
    length: 1,
    reduceOp: 'max',
    payload: 'gradient',
    where: comm,
  });
  for (const lane of lanes) lane.handOver('comm', 'compute', UNSCALE);
}

/** scaler.step(optimizer): the optimiser that reads these scalars skips where an inf or a NaN was found. */
export function emitSkip(lane: LaneBuilder, scalars: string): void {
  lane.compute('scaler/skip-step', [FOUND_INF, scalars], [scalars], {}, STEP);
}

/** scaler.update(). */
export function emitUpdate(lane: LaneBuilder, { gradScaler }: Scaled): void {
  const { growthFactor, backoffFactor, growthInterval } = gradScaler;
  const state = [SCALE, GROWTH_TRACKER, FOUND_INF, SKIPPED];
  lane.compute('scaler/update', state, state, { growthFactor, backoffFactor, growthInterval }, UPDATE);
}
