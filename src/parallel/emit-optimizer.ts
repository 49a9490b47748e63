/**
 * What ends a step: clip_grad_norm_ and clip_grad_value_ where they are asked for, then optimizer.step(), one
 * instruction per parameter group with the group's own scalars from the host. Gradients are whole by then: under DDP
 * the all-reduce has run. Called by the modes.
 */
import { at } from '../base/invariant';
import { clipGradNorm } from '../optim/clip-grad-norm';
import { clipGradValue } from '../optim/clip-grad-value';
import { gradNorm } from '../optim/grad-norm';
import { inGroup, optimizerOp, optimizerState } from '../optim/optimizer';
import { groupOf } from '../optim/param-groups';
import { SCALARS_LENGTH } from '../optim/scalars';
import type { ProgramBuilder } from '../program/builder';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { Config } from '../protocol/config';
import type { ParameterRef } from './stage-graph';

const STEP: Where = { phase: 'step', anchor: 'step' };
const CLIP: Where = { phase: 'step', anchor: 'clip' };
const CLIP_VALUE: Where = { phase: 'step', anchor: 'clip_value' };

/** Buffer [1] of the total norm before clipping, as clip_grad_norm_ returns it. */
export const GRAD_NORM = 'grad_norm';

type ClipSetting = 'clipGradNorm' | 'clipGradNormType' | 'clipGradValue';

/** What of a ModeInput the optimiser depends on. */
export interface OptimizerInput {
  readonly config: Pick<Config, 'optimizer' | 'scheduler' | 'paramGroups'> & Partial<Pick<Config, ClipSetting>>;
}

/** A parameter and the buffer of its gradient. */
type Optimized = Pick<ParameterRef, 'name' | 'gradient'>;

/** The parameters of one device. */
export interface OptimizerPart {
  readonly lane: LaneBuilder;
  readonly parameters: readonly Optimized[];
  /** Those that count in the common norm, where some are copies of another part's; absent: all. */
  readonly inNorm?: readonly Optimized[];
}

const normed = ({ parameters, inNorm = parameters }: OptimizerPart): readonly Optimized[] => inNorm;

/**
 * optimizer.step() over the given parameters of the lane, which are all that the optimiser has or a replica of them.
 * `update`: which one, where a step of the run has several (ParallelMode.optimizerStepsPerStep).
 */
export function emitOptimizer(
  lane: LaneBuilder,
  input: OptimizerInput,
  parameters: readonly Optimized[],
  update = 0,
): void {
  if (parameters.length === 0) return;
  if (input.config.clipGradNorm !== undefined) emitNorm(lane, input, gradientsOf(parameters), GRAD_NORM);
  emitClip(lane, input, gradientsOf(parameters));
  emitStep(lane, input, parameters, update);
}

/**
 * One optimiser over parameters that lie on several devices of one process (model parallel): the norm is that of all of
 * them.
 */
export function emitOptimizerOver(
  builder: ProgramBuilder,
  input: OptimizerInput,
  parts: readonly OptimizerPart[],
): void {
  const own = parts.filter(({ parameters }) => parameters.length > 0);
  const first = own[0];
  if (!first) return;
  if (input.config.clipGradNorm !== undefined) {
    if (own.length === 1) emitNorm(first.lane, input, gradientsOf(normed(first)), GRAD_NORM);
    else emitTotalNorm(builder, input, own);
  }
  for (const { lane, parameters } of own) emitClip(lane, input, gradientsOf(parameters));
  for (const { lane, parameters } of own) emitStep(lane, input, parameters, 0);
}

const gradientsOf = (parameters: readonly Optimized[]): readonly string[] => parameters.map((p) => p.gradient);

function emitNorm(lane: LaneBuilder, input: OptimizerInput, gradients: readonly string[], target: string): void {
  const attrs = { normType: input.config.clipGradNormType ?? 2 };
  const types = gradNorm.infer(
    gradients.map((name) => lane.spec(name)),
    attrs,
  );
  lane.buffer({ name: target, shape: [1], dtype: 'f32', category: 'optimizer', persistent: true });
  const scratch = types.slice(1).map(({ shape, dtype }, k) => {
    const name = `${target}.sums${k}`;
    lane.buffer({ name, shape, dtype, category: 'optimizer', persistent: false });
    return name;
  });
  lane.compute(gradNorm.name, gradients, [target, ...scratch], attrs, CLIP);
}

/** By the norm that the lane has, then by value. PyTorch leaves the order to the script; the listing has the same. */
function emitClip(lane: LaneBuilder, { config }: OptimizerInput, gradients: readonly string[]): void {
  const { clipGradNorm: maxNorm, clipGradValue: clipValue } = config;
  if (maxNorm !== undefined) lane.compute(clipGradNorm.name, [GRAD_NORM, ...gradients], gradients, { maxNorm }, CLIP);
  if (clipValue !== undefined) lane.compute(clipGradValue.name, gradients, gradients, { clipValue }, CLIP_VALUE);
}

/**
 * As torch does it with parameters on several devices: each norm goes to the first device, the norm of the norms comes
 * back.
 */
function emitTotalNorm(builder: ProgramBuilder, input: OptimizerInput, own: readonly OptimizerPart[]): void {
  const parts = own.filter((part) => normed(part).length > 0);
  const root = at(parts, 0).lane;
  const comm: Where = { ...CLIP, queue: 'comm' };
  const all = 'grad_norms';
  for (const part of parts) emitNorm(part.lane, input, gradientsOf(normed(part)), 'grad_norm.own');
  root.buffer({ name: all, shape: [parts.length], dtype: 'f32', category: 'optimizer', persistent: false });
  root.compute('ops/copy', ['grad_norm.own'], [all], { from: 0, to: 0, length: 1 }, CLIP);
  root.handOver('compute', 'comm', comm);
  for (const [k, { lane }] of parts.entries()) {
    if (k === 0) continue;
    lane.handOver('compute', 'comm', comm);
    builder.transfer(
      { device: lane.device, slice: lane.whole('grad_norm.own'), where: comm },
      { device: root.device, slice: { buffer: all, offset: k, length: 1 }, where: comm },
      { name: 'grad_norm.own', payload: 'gradient' },
    );
  }
  root.handOver('comm', 'compute', CLIP);
  emitNorm(root, input, [all], GRAD_NORM);
  root.handOver('compute', 'comm', comm);
  for (const { lane } of own) {
    if (lane === root) continue;
    lane.buffer({ ...root.spec(GRAD_NORM) });
    builder.transfer(
      { device: root.device, slice: root.whole(GRAD_NORM), where: comm },
      { device: lane.device, slice: lane.whole(GRAD_NORM), where: comm },
      { name: GRAD_NORM, payload: 'gradient' },
    );
    lane.handOver('comm', 'compute', CLIP);
  }
}

function emitStep(lane: LaneBuilder, input: OptimizerInput, parameters: readonly Optimized[], update: number): void {
  const { paramGroups } = input.config;
  for (let group = 0; group <= paramGroups.length; group++) {
    const members = parameters.filter(({ name }) => groupOf(name, paramGroups) === group);
    if (members.length > 0) emitGroup(lane, input, { group, update }, members);
  }
}

function emitGroup(
  lane: LaneBuilder,
  { config }: OptimizerInput,
  { group, update }: { readonly group: number; readonly update: number },
  members: readonly Optimized[],
): void {
  // Each update of a step has scalars of its own: Adam counts them.
  const index = update * (config.paramGroups.length + 1) + group;
  const scalars = index === 0 ? 'scalars' : `scalars.${index}`;
  lane.buffer({
    name: scalars,
    shape: [SCALARS_LENGTH],
    dtype: 'f32',
    category: 'optimizer',
    persistent: true,
    pool: 'optimizer.scalars',
  });
  const start = index * SCALARS_LENGTH;
  lane.load({ buffer: scalars, source: 'scalars', start, count: SCALARS_LENGTH }, STEP);
  const names = members.map((p) => p.name);
  const own = inGroup(config, group);
  const states = optimizerState(own).map(({ name: state, fill }) =>
    names.map((name) => {
      const buffer = `${name}.${state}`;
      const { shape, dtype } = lane.spec(name);
      const pool = `optimizer.${state}`;
      lane.buffer({ name: buffer, shape, dtype, category: 'optimizer', persistent: true, pool, fill });
      return buffer;
    }),
  );
  const { op, attrs } = optimizerOp(own);
  lane.compute(
    op,
    [scalars, ...names, ...gradientsOf(members), ...states.flat()],
    [...names, ...states.flat()],
    { ...attrs, count: names.length },
    STEP,
  );
}
