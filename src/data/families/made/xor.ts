/**
 * Exclusive-or over the square: `X = torch.rand(n, 2) * 2 - 1; y = X[:, 0] * X[:, 1] > 0`. With noise, a second
 * `rand(n, 2)`: the label is that of a point moved by up to `noise` in x and in y; the input stays.
 */
import type { Generator } from '../../../tensor/generator';
import { dataFamily, type Rows } from '../../family';
import { DATASET, square, targetLine } from '../../torch-lines';

function xor(generator: Generator, n: number, noise: number): Rows {
  const inputs = generator.rand(2 * n).map((u) => u * 2 - 1);
  const shifts = noise > 0 ? generator.rand(2 * n) : undefined;
  const labelled = (i: number): number => (inputs[i] ?? 0) + (shifts ? noise * (2 * (shifts[i] ?? 0) - 1) : 0);
  const values = Int32Array.from({ length: n }, (_, i) => (labelled(2 * i) * labelled(2 * i + 1) > 0 ? 1 : 0));
  return { kind: 'points', inputs, inputShape: [2], targets: { kind: 'labels', classes: 2, values } };
}

export const family = dataFamily({
  type: 'xor',
  rows: ({ config: { samples, noise }, generator }) => xor(generator, samples, noise),
  torch: (data, loss) => [
    ...square(data),
    `c = ${data.noise > 0 ? 'p' : 'x'}.prod(1) > 0`,
    targetLine('c', loss),
    DATASET,
  ],
});
