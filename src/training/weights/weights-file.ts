/**
 * The state_dict of a run as .safetensors: parameters, tied weights under both of their names, running statistics.
 * Counters are int64 scalars, as in torch. Called by run.ts and session.ts.
 */
import { must } from '../../base/invariant';
import { type NamedTensor, writeSafetensors } from '../../interop/safetensors';
import { LOSS_WEIGHTS } from '../../nn/losses';
import { tiedNames } from '../../nn/tied';
import { sameShape } from '../../tensor/shape';
import type { Blueprint } from '../blueprint';
import { mergedState } from './merged-weights';
import type { Weights } from './weights';

/** model.state_dict(), or model.module.state_dict() where DistributedDataParallel or DataParallel wraps the model. */
export const weightsFile = (blueprint: Blueprint, weights: Weights): Uint8Array<ArrayBuffer> =>
  writeSafetensors(stateTensors(blueprint, weights), { format: 'pt' });

/** model.state_dict() of the unwrapped model. */
export function stateTensors(blueprint: Blueprint, weights: Weights): readonly NamedTensor[] {
  const { parameters, buffers, config } = blueprint;
  const merged = mergedState(blueprint, weights);
  const own = parameters.map(({ name, shape }): NamedTensor => ({ name, shape, data: must(merged.get(name), name) }));
  const tied = tiedNames(config.model.layers).map(({ name, source }): NamedTensor => {
    const tensor = must(
      own.find((t) => t.name === source),
      source,
    );
    return { ...tensor, name };
  });
  const kept = buffers
    .filter(({ name }) => name !== LOSS_WEIGHTS)
    .map(({ name, shape, data }): NamedTensor => {
      const values = must(merged.get(name), name);
      if (data instanceof Float32Array) return { name, shape, data: values };
      return { name, shape: sameShape(shape, [1]) ? [] : shape, data: BigInt64Array.from(values, BigInt) };
    });
  return [...own, ...tied, ...kept];
}
