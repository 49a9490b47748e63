/**
 * The distance between weights that should be equal: between replicas, and between a parallel mode and its
 * single-device reference. NaN is the largest difference.
 */
import { must } from '../../base/invariant';
import type { DeviceIndex } from '../../protocol/trace';
import { replicasOf } from '../../sharding/shard-map';
import type { Blueprint } from '../blueprint';
import { mergedWeights } from './merged-weights';
import type { Weights } from './weights';

/** max |a - b|; NaN if an element of either is NaN. */
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
 * The largest difference between replicas of a parameter or of the same piece of one; under DDP every device trains its
 * own. Copies that each forward pass overwrites, as in DataParallel, do not count.
 */
export function replicaDivergence({ parameters, shards }: Blueprint, { devices }: Weights): number {
  return worst(
    parameters.flatMap(({ name }) => {
      const held = (device: DeviceIndex): Float32Array => must(devices[device]?.get(name), name);
      return replicasOf(must(shards.get(name), name)).flatMap(([first, ...others]) =>
        others.map((other) => maxAbsDifference(held(first.device), held(other.device))),
      );
    }),
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
