/**
 * The end of a step: clip_grad_norm_ and clip_grad_value_ if the settings ask for them, then optimizer.step(), one
 * instruction per parameter group with the group's scalars from the host. Gradients are complete by then: under DDP the
 * all-reduce has run. Called by the modes.
 */
import { loadAll, Part } from '../base/part';
import { inGroup, optimizerOp, optimizerState } from '../optim/optimizer';
import { groupOf } from '../optim/param-groups';
import { SCALARS_LENGTH } from '../optim/scalars';
import type { ProgramBuilder } from '../program/builder';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { Config } from '../protocol/config';
import type { Axis } from '../protocol/mesh';
import { elements } from '../tensor/shape';
import type { NormInput, NormPart } from './emit-norm';
import type { ParameterRef } from './stage-graph';

const STEP: Where = { phase: 'step', anchor: 'step' };

/** Loaded for a run whose mesh cuts layers. */
export const NORM_OF_LINES = new Part('Norms over the parts of a layer', () => import('./norm-of-lines'));
/** Loaded for a run that clips its gradients. */
export const CLIPPING = new Part('Gradient clipping', () => import('./emit-clip'));
/** Loaded for a run with a GradScaler. */
export const GRAD_SCALER = new Part('The gradient scaler', () => import('./emit-scaler'));
if (!globalThis.LOCKSTEP_SITE) await loadAll([NORM_OF_LINES, CLIPPING, GRAD_SCALER]);

/** The part of a ModeInput that the optimiser depends on. */
export interface OptimizerInput extends NormInput {
  readonly config: Pick<Config, 'optimizer' | 'scheduler' | 'paramGroups'> &
    Partial<Pick<Config, 'clipGradNorm' | 'clipGradValue' | 'gradScaler' | 'precision'>> &
    NormInput['config'];
}

/** A parameter and the buffer of its gradient. */
type Optimized = Pick<ParameterRef, 'name' | 'gradient'>;

/** The parameters of one device. */
export interface OptimizerPart {
  readonly lane: LaneBuilder;
  readonly parameters: readonly Optimized[];
  /** Parameters that count in the common norm, if other ranks hold some of these parameters, too; absent: all. */
  readonly inNorm?: readonly Optimized[];
  /** Parameters that this device's optimiser steps, if other ranks step the rest; absent: all. */
  readonly stepped?: readonly Optimized[];
}

const normed = ({ parameters, inNorm = parameters }: OptimizerPart): readonly Optimized[] => inNorm;

/**
 * optimizer.step() over the given parameters of the lane: all parameters of the optimiser, or a replica of them.
 * `update`: index of the optimiser step within a step of the run (ModeSteps.optimizerSteps).
 */
export function emitOptimizer(
  lane: LaneBuilder,
  input: OptimizerInput,
  parameters: readonly Optimized[],
  update = 0,
): void {
  if (parameters.length === 0) return;
  const scaler = scalerOf(input);
  scaler?.beforeClip(() => scaler.unscale(lane, gradientsOf(parameters)));
  const clipping = clippingOf(input);
  clipping?.emitTotalNorm(lane, input, gradientsOf(parameters));
  clipping?.emitClip(lane, input, gradientsOf(parameters));
  scaler?.afterClip(() => scaler.unscale(lane, gradientsOf(parameters)));
  emitStep(lane, input, parameters, update);
  scaler?.update(lane);
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
  const scaler = scalerOf(input);
  const lanes = parts.map(({ lane }) => lane);
  const unscale = () => {
    for (const { lane, parameters } of parts) scaler?.unscale(lane, gradientsOf(parameters));
    if (lanes.length > 1) scaler?.agree(builder, lanes, []);
  };
  scaler?.beforeClip(unscale);
  const clipping = clippingOf(input);
  if (own.length === 1) clipping?.emitTotalNorm(first.lane, input, gradientsOf(normed(first)));
  else clipping?.emitTotalNormOver(builder, input, own.map(inNormOf));
  for (const { lane, parameters } of own) clipping?.emitClip(lane, input, gradientsOf(parameters));
  scaler?.afterClip(unscale);
  for (const { lane, parameters, stepped = parameters } of own) emitStep(lane, input, stepped, 0);
  for (const lane of lanes) scaler?.update(lane);
}

/** The GradScaler of the run, if it has one. */
function scalerOf({ config }: OptimizerInput) {
  const { gradScaler } = config;
  if (!gradScaler?.enabled) return undefined;
  const emit = GRAD_SCALER.get();
  const settings = { ...config, gradScaler };
  const when = (wanted: boolean) => (unscale: () => void) => {
    if (gradScaler.unscaleBeforeClip === wanted) unscale();
  };
  return {
    /** scaler.unscale_() in the script, or within scaler.step(). */
    beforeClip: when(true),
    afterClip: when(false),
    unscale: (lane: LaneBuilder, gradients: readonly string[]) => emit.emitUnscale(lane, settings, gradients),
    /** All lanes skip, or none does: the stages and parts of one replica of the model. */
    agree(builder: ProgramBuilder, lanes: readonly LaneBuilder[], piecesAlong: readonly Axis[]): void {
      const isOneProcess = new Set(lanes.map(({ rank }) => rank)).size === 1;
      if (isOneProcess) emit.emitFoundInfOfDevices(builder, lanes);
      else emit.emitFoundInf(builder, settings, lanes, ['pp', ...piecesAlong]);
    },
    update: (lane: LaneBuilder) => emit.emitUpdate(lane, settings),
  };
}

const clippingOf = ({ config: { clipGradNorm, clipGradValue } }: OptimizerInput) =>
  (clipGradNorm ?? clipGradValue) === undefined ? undefined : CLIPPING.get();

/** What a device adds to the common norm. */
const inNormOf = (part: OptimizerPart): NormPart => ({ lane: part.lane, gradients: gradientsOf(normed(part)) });

const gradientsOf = (parameters: readonly Optimized[]): readonly string[] => parameters.map((p) => p.gradient);

/**
 * One optimiser over a model whose layers are cut: each line of pipeline ranks (`lines`, all with the same layers) has
 * a part of every layer. The lines lie along the axes `piecesAlong`.
 */
export function emitOptimizerOfLines(
  builder: ProgramBuilder,
  input: OptimizerInput,
  lines: readonly (readonly OptimizerPart[])[],
  piecesAlong: readonly Axis[],
): void {
  const [only, second] = lines;
  if (only && !second) {
    emitOptimizerOver(builder, input, only);
    return;
  }
  const isUsed = only?.map((_, k) => lines.some((line) => (line[k]?.parameters.length ?? 0) > 0)) ?? [];
  // A rank without any part of the layers still takes part in the norm.
  const inNorm = lines.map((line) => line.filter((_, k) => isUsed[k]));
  const own = lines.map((line) => line.filter(({ parameters }) => parameters.length > 0));
  const scaler = scalerOf(input);
  const lanes = lines.flat().map(({ lane }) => lane);
  const unscale = () => {
    for (const { lane, parameters } of lines.flat()) scaler?.unscale(lane, gradientsOf(parameters));
    scaler?.agree(builder, lanes, piecesAlong);
  };
  scaler?.beforeClip(unscale);
  if (input.config.clipGradNorm !== undefined) {
    const gradients = inNorm.map((line) => line.map(inNormOf));
    NORM_OF_LINES.get().emitNormOfLines(builder, input, gradients, piecesAlong);
  }
  for (const { lane, parameters } of own.flat()) clippingOf(input)?.emitClip(lane, input, gradientsOf(parameters));
  scaler?.afterClip(unscale);
  for (const { lane, parameters, stepped = parameters } of own.flat()) emitStep(lane, input, stepped, 0);
  for (const lane of lanes) scaler?.update(lane);
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
  // Each update of a step has its own scalars, because Adam counts updates.
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
  if (config.gradScaler?.enabled) GRAD_SCALER.get().emitSkip(lane, scalars);
  const names = members.map((p) => p.name);
  const own = inGroup(config, group);
  const states = optimizerState(own).map(({ name: state, fill }) =>
    names.map((name) => {
      const buffer = `${name}.${state}`;
      const { shape, dtype, onHost, asHalf, halves } = lane.spec(name);
      const pool = `optimizer.${state}`;
      lane.buffer({
        name: buffer,
        shape,
        dtype,
        category: 'optimizer',
        persistent: true,
        pool,
        fill,
        ...(onHost ? { onHost } : {}),
        ...(asHalf ? { asHalf } : {}),
        ...(halves ? { halves } : {}),
      });
      return buffer;
    }),
  );
  const { op, attrs } = optimizerOp(own);
  const halves = names.flatMap((name) => lane.spec(name).halves ?? []);
  lane.compute(
    halves.length > 0 ? `${op}-bf16` : op,
    [scalars, ...names, ...gradientsOf(members), ...states.flat()],
    [...names, ...states.flat()],
    {
      ...attrs,
      count: names.length,
      ...(halves.length > 0 ? { lengths: halves.map(({ shape }) => elements(shape)) } : {}),
    },
    STEP,
  );
}
