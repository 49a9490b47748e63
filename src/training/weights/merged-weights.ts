/**
 * Assembles the weights of a run from its devices' pieces into one state_dict. Called by snapshots, reports and the
 * writer of .safetensors.
 */
import { must } from '../../base/invariant';
import { wholeFrom } from '../../sharding/shard-map';
import type { Blueprint } from '../blueprint';
import type { Weights } from './weights';

type Merging = Pick<Blueprint, 'shards' | 'parameters' | 'buffers'>;

/** All whole parameters, in the order of the state_dict. */
export const mergedWeights = (blueprint: Merging, weights: Weights): ReadonlyMap<string, Float32Array> =>
  merged(blueprint, weights, blueprint.parameters);

/** With running statistics, under DDP those of rank 0, which saves its own. */
export const mergedState = (blueprint: Merging, weights: Weights): ReadonlyMap<string, Float32Array> =>
  merged(blueprint, weights, [...blueprint.parameters, ...blueprint.buffers]);

const merged = (
  { shards }: Merging,
  { devices }: Weights,
  tensors: readonly { readonly name: string }[],
): ReadonlyMap<string, Float32Array> =>
  new Map(
    tensors.map(({ name }) => [
      name,
      wholeFrom(name, must(shards.get(name), `the layout of ${name}`), (device) => devices[device]?.get(name)),
    ]),
  );
