/**
 * The weights of a run, read back from all its devices, as one state_dict. Called by snapshots, reports and the writer
 * of .safetensors.
 */
import { must } from '../../base/invariant';
import type { Blueprint } from '../blueprint';
import type { Weights } from '../training';

/** The weights that count: of the first device that holds each parameter. */
export function mergedWeights(blueprint: Blueprint, weights: Weights): ReadonlyMap<string, Float32Array> {
  return new Map(
    blueprint.parameters.map(({ name }) => [name, must(weights.devices.find((d) => d.has(name))?.get(name), name)]),
  );
}

/** Running statistics too: of the first device that holds them, as rank 0 saves its own. */
export function mergedState(blueprint: Blueprint, weights: Weights): ReadonlyMap<string, Float32Array> {
  const [first] = weights.devices;
  const buffers = blueprint.buffers.map(
    ({ name }) => [name, must((weights.devices.find((d) => d.has(name)) ?? first)?.get(name), name)] as const,
  );
  return new Map([...mergedWeights(blueprint, weights), ...buffers]);
}
