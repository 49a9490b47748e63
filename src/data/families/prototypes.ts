/**
 * One random prototype per class, and samples halfway between their prototype and noise: `P = torch.rand(classes, dim);
 * y = torch.randint(0, classes, (n,)); X = 0.5 * P[y] + 0.5 * torch.rand(n, dim)`. With `size` the rows are images [1,
 * size, size]. A linear model can learn it; useful because its numbers are known and its shape is free.
 */
import type { DataConfig } from '../../protocol/config';
import type { Generator } from '../../tensor/generator';
import type { Rows } from '../family';
import { checkSize } from '../limits';

export function prototypes(generator: Generator, config: Extract<DataConfig, { type: 'prototypes' }>): Rows {
  const { samples, classes, size } = config;
  const features = size === undefined ? config.features : size * size;
  checkSize(config.type, samples, features, 'Use fewer samples or features.');
  const centres = generator.rand(classes * features);
  const values = Int32Array.from(generator.randint(0, classes, samples));
  const inputs = generator.rand(samples * features);
  for (let i = 0; i < samples; i++) {
    const from = (values[i] as number) * features;
    const to = i * features;
    for (let j = 0; j < features; j++)
      inputs[to + j] = 0.5 * (centres[from + j] as number) + 0.5 * (inputs[to + j] as number);
  }
  return {
    ...(size === undefined
      ? { kind: 'table', inputShape: [features] }
      : { kind: 'image', inputShape: [1, size, size] }),
    inputs,
    targets: { kind: 'labels', classes, values },
  };
}
