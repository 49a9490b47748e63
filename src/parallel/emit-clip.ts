/**
 * clip_grad_norm_ and clip_grad_value_ at the end of a step. PyTorch leaves their order to the script; our listing
 * clips by the norm first. Loaded by runs that clip; called by emit-optimizer.ts.
 */
import { clipGradNorm } from '../optim/clip-grad-norm';
import { clipGradValue } from '../optim/clip-grad-value';
import type { ProgramBuilder } from '../program/builder';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { Config } from '../protocol/config';
import { changeGradients } from './change-gradients';
import {
  CLIP,
  emitNorm,
  emitNormOfNorms,
  GRAD_NORM,
  gradientType,
  type NormInput,
  type NormPart,
  OWN_NORM,
} from './emit-norm';

interface ClipInput extends NormInput {
  readonly config: NormInput['config'] & Partial<Pick<Config, 'clipGradNorm' | 'clipGradValue'>>;
}

const CLIP_VALUE: Where = { phase: 'step', anchor: 'clip_value' };

/** The norm of one device's gradients, if the run clips by a norm. */
export function emitTotalNorm(lane: LaneBuilder, input: ClipInput, gradients: readonly string[]): void {
  if (input.config.clipGradNorm !== undefined) emitNorm(lane, input, gradients, GRAD_NORM);
}

/**
 * As torch does with parameters on several devices: each device sends its norm to the first, which returns the norm of
 * the norms. `own`: all devices with parameters, also those whose parameters another device counts.
 */
export function emitTotalNormOver(builder: ProgramBuilder, input: ClipInput, own: readonly NormPart[]): void {
  if (input.config.clipGradNorm === undefined) return;
  const parts = own.filter(({ gradients }) => gradients.length > 0);
  for (const { lane, gradients } of parts) emitNorm(lane, input, gradients, OWN_NORM);
  const lanesOf = (some: readonly NormPart[]) => some.map(({ lane }) => lane);
  emitNormOfNorms(builder, input, { from: lanesOf(parts), to: lanesOf(own) });
}

/** Clips by the norm that the lane holds, then by value. */
export function emitClip(lane: LaneBuilder, input: ClipInput, gradients: readonly string[]): void {
  const { clipGradNorm: maxNorm, clipGradValue: clipValue } = input.config;
  if (maxNorm !== undefined) {
    const attrs = { maxNorm, ...gradientType(input) };
    changeGradients(lane, gradients, CLIP, (own) =>
      lane.compute(clipGradNorm.name, [GRAD_NORM, ...own], own, attrs, CLIP),
    );
  }
  if (clipValue !== undefined)
    changeGradients(lane, gradients, CLIP_VALUE, (own) =>
      lane.compute(clipGradValue.name, own, own, { clipValue }, CLIP_VALUE),
    );
}
