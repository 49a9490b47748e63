/** A product in jax-js: jitted, and waited for. Every call consumes its arguments, hence the `.ref`s. */
import { blockUntilReady, type Array as JaxArray, jit, numpy as np, tree } from '@jax-js/jax';
import { factors, probes } from '../../workloads/products';
import type { ProductWork } from '../../workloads/workload';
import type { Contender, Runner } from '../contender';
import { openBackend } from './backend';

export async function product({ size }: ProductWork, backend: Contender['backend']): Promise<Runner> {
  await openBackend(backend);
  const values = factors(size);
  const a = np.array(values.a).reshape([size, size]);
  const b = np.array(values.b).reshape([size, size]);
  const multiply = jit((x: JaxArray, y: JaxArray) => np.matmul(x, y));
  return {
    async check() {
      const c = await multiply(a.ref, b.ref).data();
      return probes(size, (row, column) => Number(c[row * size + column]));
    },
    async run(count) {
      // jax-js never computes a result that is released before it was waited for.
      const products = Array.from({ length: count }, () => multiply(a.ref, b.ref));
      tree.dispose(await blockUntilReady(products));
    },
    dispose() {
      a.dispose();
      b.dispose();
    },
  };
}
