/** Square matrix products and their inputs. */
import { noise, type ProductWork } from './workload';

export const PRODUCTS: readonly ProductWork[] = [256, 512, 1024].map((size) => ({
  kind: 'product',
  id: `matmul-${size}`,
  title: `matmul ${size}`,
  // The plain loops of a CPU backend would take minutes for the larger products.
  also: size === 256 ? ['cpu', 'cpu-fma', 'tensorflow-cpu'] : ['cpu', 'cpu-fma'],
  size,
}));

export function factors(size: number): { readonly a: Float32Array; readonly b: Float32Array } {
  const next = noise();
  const matrix = (): Float32Array => Float32Array.from({ length: size * size }, next);
  return { a: matrix(), b: matrix() };
}

/**
 * Some elements of a product, spread over it, for the comparison. Takes the values, or a function from index to value.
 */
export function probes(size: number, valueAt: (row: number, column: number) => number): number[] {
  return Array.from({ length: 16 }, (_, i) => valueAt((i * 97 + 13) % size, (i * 61 + 7) % size));
}

/** The same elements in double precision. */
export function expectedProbes(size: number): number[] {
  const { a, b } = factors(size);
  return probes(size, (row, column) => {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += (a[row * size + k] ?? 0) * (b[k * size + column] ?? 0);
    return sum;
  });
}
