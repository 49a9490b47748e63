/** The batches as arrays of jax-js, made once, with one-hot classes, which its losses need. */
import { type Array as JaxArray, numpy as np } from '@jax-js/jax';
import type { BenchMaterial } from '../../../src/bench/bench';
import { oneHot } from '../one-hot';

export interface JaxBatch {
  readonly input: JaxArray;
  readonly target: JaxArray;
}

export function makeBatches(material: BenchMaterial, size: number, isClasses: boolean): JaxBatch[] {
  const { batches, inputShape, targetShape } = material;
  const classes = isClasses ? (material.parameters.at(-1)?.shape[0] ?? 1) : 0;
  return batches.map(({ inputs, targets }) => {
    const target = isClasses
      ? np
          .array(oneHot(targets, classes))
          .reshape(targetShape.length > 0 && targets.length > size ? [size, -1, classes] : [size, classes])
      : np.array(Float32Array.from(targets)).reshape([size, -1]);
    const isIds = inputs instanceof Int32Array;
    const input = isIds ? np.array(Int32Array.from(inputs), { dtype: np.int32 }) : np.array(Float32Array.from(inputs));
    return { input: input.reshape([size, ...inputShape]), target };
  });
}
