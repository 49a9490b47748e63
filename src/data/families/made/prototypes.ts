/**
 * One random prototype per class, and samples halfway between their prototype and noise: `P = torch.rand(classes, dim);
 * y = torch.randint(0, classes, (n,)); X = 0.5 * P[y] + 0.5 * torch.rand(n, dim)`. With `size` the rows are images [1,
 * size, size]. A linear model can learn it; useful because its numbers are known and its shape is free.
 */
import type { DataConfig, LossConfig } from '../../../protocol/config';
import type { Generator } from '../../../tensor/generator';
import { dataFamily, type Rows } from '../../family';
import { checkSize } from '../../limits';
import { takesClasses } from '../../targets';
import { DATASET, targetLine } from '../../torch-lines';

type PrototypesConfig = Extract<DataConfig, { type: 'prototypes' }>;

function prototypes(generator: Generator, config: PrototypesConfig): Rows {
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

function torch({ samples: n, classes, size, ...data }: PrototypesConfig, loss: LossConfig): readonly string[] {
  const features = size === undefined ? data.features : size * size;
  const shape = size === undefined ? '' : `.reshape(-1, 1, ${size}, ${size})`;
  const mix = `0.5 * prototypes[y] + 0.5 * torch.rand(${n}, ${features})`;
  return [
    `prototypes = torch.rand(${classes}, ${features})`,
    `y = torch.randint(0, ${classes}, (${n},))`,
    `x = ${shape === '' ? mix : `(${mix})${shape}`}`,
    ...(takesClasses(loss.type) ? [] : [targetLine('y', loss)]),
    DATASET,
  ];
}

export const family = dataFamily({
  type: 'prototypes',
  rows: ({ config, generator }) => prototypes(generator, config),
  torch,
});
