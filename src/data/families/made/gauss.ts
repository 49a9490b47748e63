/**
 * Two Gaussian clouds around (1/3, 1/3), class 1, and (-1/3, -1/3), class 0, as in TensorFlow Playground, scaled to
 * [-1, 1]. Draws: `randn(n, 2)`. Without noise the variance is 0.5/36; it grows by 7/36 for each unit of noise.
 */
import type { Generator } from '../../../tensor/generator';
import { alternatingClass, dataFamily, type Rows } from '../../family';
import { DATASET, targetLine } from '../../torch-lines';

function gauss(generator: Generator, n: number, noise: number): Rows {
  const deviation = Math.sqrt(0.5 + 7 * noise) / 6;
  const values = Int32Array.from({ length: n }, (_, i) => alternatingClass(i));
  const inputs = generator
    .randn(2 * n)
    .map((z, i) => (alternatingClass(i >> 1) === 1 ? 1 / 3 : -1 / 3) + deviation * z);
  return { kind: 'points', inputs, inputShape: [2], targets: { kind: 'labels', classes: 2, values } };
}

export const family = dataFamily({
  type: 'gauss',
  rows: ({ config: { samples, noise }, generator }) => gauss(generator, samples, noise),
  torch: ({ samples: n, noise }, loss) => [
    `c = torch.arange(${n}) % 2 == 0`,
    `x = (c[:, None] * 2 - 1) / 3 + ${noise > 0 ? `(0.5 + 7 * ${noise})` : 0.5} ** 0.5 / 6 * torch.randn(${n}, 2)`,
    targetLine('c', loss),
    DATASET,
  ],
});
