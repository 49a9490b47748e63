/** A product in TensorFlow.js. Reading a few bytes of the last product waits for all products. */
import * as tf from '@tensorflow/tfjs-core';
import { factors, probes } from '../../workloads/products';
import type { ProductWork } from '../../workloads/workload';
import type { Contender, Runner } from '../contender';
import { openBackend } from './backend';

export async function product({ size }: ProductWork, backend: Contender['backend']): Promise<Runner> {
  await openBackend(backend);
  const values = factors(size);
  const a = tf.tensor2d(values.a, [size, size]);
  const b = tf.tensor2d(values.b, [size, size]);
  return {
    async check() {
      const c = tf.matMul(a, b);
      const data = await c.data();
      c.dispose();
      return probes(size, (row, column) => data[row * size + column] ?? Number.NaN);
    },
    async run(count) {
      let last: tf.Tensor2D | undefined;
      for (let done = 0; done < count; done += 1) {
        last?.dispose();
        last = tf.matMul(a, b);
      }
      if (last === undefined) return;
      const corner = tf.slice2d(last, [0, 0], [1, 1]);
      await corner.data();
      tf.dispose([last, corner]);
    },
    dispose: () => tf.dispose([a, b]),
  };
}
