/**
 * Regression on a plane after TensorFlow Playground: the target is (x + y) / 2 over the square [-1, 1]^2. Draws:
 * `rand(n, 2)`, and with noise another `rand(n, 2)`: the target is then taken at a point moved by up to `noise` in x
 * and in y.
 */
import type { Generator } from '../../../tensor/generator';
import { dataFamily, type Rows } from '../../family';
import { DATASET, square } from '../../torch-lines';

function plane(generator: Generator, n: number, noise: number): Rows {
  const inputs = generator.rand(2 * n).map((u) => u * 2 - 1);
  const shifts = noise > 0 ? generator.rand(2 * n) : undefined;
  const moved = (i: number): number => (inputs[i] ?? 0) + (shifts ? noise * (2 * (shifts[i] ?? 0) - 1) : 0);
  const values = Float32Array.from({ length: n }, (_, i) => (moved(2 * i) + moved(2 * i + 1)) / 2);
  return { kind: 'points', inputs, inputShape: [2], targets: { kind: 'reals', width: 1, values } };
}

export const family = dataFamily({
  type: 'plane',
  rows: ({ config: { samples, noise }, generator }) => plane(generator, samples, noise),
  torch: (data) => [...square(data), `y = ${data.noise > 0 ? 'p' : 'x'}.mean(1, keepdim=True)`, DATASET],
});
