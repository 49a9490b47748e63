/**
 * `X = torch.randn(n, in); y = torch.randn(n, out)`: the random regression of the PyTorch tutorials. Only the mean can
 * be learnt.
 */
import type { Generator } from '../../../tensor/generator';
import { dataFamily, type Rows } from '../../family';

function randomRegression(generator: Generator, n: number, features: number, outputs: number): Rows {
  const inputs = generator.randn(n * features);
  const targets = { kind: 'reals', width: outputs, values: generator.randn(n * outputs) } as const;
  return { kind: 'table', inputs, inputShape: [features], targets };
}

export const family = dataFamily({
  type: 'randomRegression',
  rows: ({ config, generator }) => randomRegression(generator, config.samples, config.in, config.out),
  torch: ({ samples: n, in: features, out: outputs }) => [
    `dataset = TensorDataset(torch.randn(${n}, ${features}), torch.randn(${n}, ${outputs}))`,
  ],
});
