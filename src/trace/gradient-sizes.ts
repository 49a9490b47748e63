/**
 * The sizes of each layer's gradients as backward computes them, before they are summed, unscaled or clipped. Shows
 * where in the net gradients become 0 or inf in half precision. Uses a traced step, which has up to 1,024 elements of
 * each tensor. Pure.
 */
import type { SessionInfo } from '../protocol/session-info';
import type { StepTrace } from '../protocol/trace';
import { type Magnitudes, magnitudesOf } from './magnitudes';

export interface LayerGradients extends Magnitudes {
  /** Path of the module. */
  readonly module: string;
  /** Number of captured elements over all its parameters. */
  readonly count: number;
}

/** In backward's order: the last layer first. Empty if the step has no backward pass. */
export function gradientSizes(
  { events }: Pick<StepTrace, 'events'>,
  { parameters }: Pick<SessionInfo, 'parameters'>,
): readonly LayerGradients[] {
  const left = new Set(parameters.map(({ name }) => `${name}.grad`));
  const byModule = new Map<string, number[]>();
  for (const { phase, kind, captured } of events) {
    if (phase !== 'backward' || kind !== 'compute') continue;
    for (const { buffer, values } of captured) {
      const name = buffer.replace('.unsharded.', '.');
      if (!left.delete(name)) continue;
      const module = name.split('.').slice(0, -2).join('.');
      byModule.set(module, [...(byModule.get(module) ?? []), ...values]);
    }
  }
  return [...byModule].map(([module, values]) => ({ module, count: values.length, ...magnitudesOf(values) }));
}

export interface AllGradients {
  readonly count: number;
  readonly zeros: number;
  readonly notFinite: number;
}

export const ofAllLayers = (layers: readonly LayerGradients[]): AllGradients => ({
  count: sum(layers.map(({ count }) => count)),
  zeros: sum(layers.map(({ zeros }) => zeros)),
  notFinite: sum(layers.map(({ notFinite }) => notFinite)),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
