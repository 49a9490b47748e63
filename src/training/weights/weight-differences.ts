/**
 * How far weights that should be equal are apart: replicas from each other, a parallel mode from its single-device
 * reference. NaN is the largest difference.
 */
import { must } from '../../base/invariant';
import type { Blueprint } from '../blueprint';
import type { Weights } from '../training';
import { mergedWeights } from './merged-weights';

/** max |a - b|; NaN where one of them is NaN. */
export function maxAbsDifference(a: Float32Array, b: Float32Array): number {
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs((a[i] ?? 0) - (b[i] ?? 0));
    if (!(difference <= most)) most = Number.isNaN(difference) ? Number.NaN : difference;
    if (Number.isNaN(most)) return most;
  }
  return most;
}

export const worst = (values: readonly number[]): number =>
  values.reduce((most, v) => (Number.isNaN(v) || v > most ? v : most), 0);

/**
 * Replicas of a parameter: under DDP every device trains its own; DataParallel's other copies are overwritten on each
 * forward.
 */
export function replicaDivergence(blueprint: Blueprint, weights: Weights): number {
  if (blueprint.config.mode !== 'ddp') return 0;
  const [first, ...others] = weights.devices;
  return worst(
    others.flatMap((own) =>
      blueprint.parameters.map(({ name }) => maxAbsDifference(must(first?.get(name), name), must(own.get(name), name))),
    ),
  );
}

export function differenceFromSingle(blueprint: Blueprint, weights: Weights): number | undefined {
  const { reference } = weights;
  if (!reference) return undefined;
  return worst(
    [...mergedWeights(blueprint, weights)].map(([name, values]) =>
      maxAbsDifference(values, must(reference.get(name), name)),
    ),
  );
}
