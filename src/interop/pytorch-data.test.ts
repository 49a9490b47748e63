/** The data lines by family; that they draw the run's numbers under real torch is held in session/script-losses.test.ts. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../protocol/config';
import { dataCode } from './pytorch-data';

const code = (data: ConfigInput['data'], type: 'MSELoss' | 'BCEWithLogitsLoss' | 'CrossEntropyLoss' = 'MSELoss') =>
  dataCode(v.parse(configSchema, { data, loss: { type } }));

test.each(['circle', 'xor', 'gauss', 'spiral', 'plane'] as const)('%s: noise and split add their draws', (type) => {
  const draws = (lines: readonly string[]): number => (lines.join('\n').match(/torch\.randn?\(/g) ?? []).length;
  const clean = code({ type, samples: 51 });
  const noisy = code({ type, samples: 51, noise: 0.1, testFraction: 0.3 });
  expect(draws(noisy.lines) - draws(clean.lines)).toBe(type === 'gauss' ? 0 : 1);
  expect(clean.names).toEqual(['TensorDataset']);
  expect(noisy.names).toEqual(['TensorDataset', 'random_split']);
  expect(noisy.lines.at(-1)).toBe('dataset, test = random_split(dataset, [36, 15])');
});

test('targets as each loss wants them', () => {
  const targets = (loss: Parameters<typeof code>[1]) => code({ type: 'xor' }, loss).lines.at(-2);
  expect(targets('BCEWithLogitsLoss')).toBe('y = c[:, None].float()');
  expect(targets('MSELoss')).toBe('y = c[:, None] * 2.0 - 1');
  expect(targets('CrossEntropyLoss')).toBe('y = c.long()');
});

test('the random regression of the tutorials is one line', () => {
  expect(code({ type: 'randomRegression', out: 3 }).lines).toEqual([
    'dataset = TensorDataset(torch.randn(1000, 10), torch.randn(1000, 3))',
  ]);
});

test('files: .npy is read, a CSV is left to the reader; names are quoted', () => {
  const npy = code({ type: 'npy', inputs: 'x.npy', targets: "it's.npy", testFraction: 0.1 });
  expect(npy.imports).toEqual(['import numpy as np']);
  expect(npy.lines[0]).toBe(`x, y = (torch.from_numpy(np.load(f)) for f in ('x.npy', "it's.npy"))`);
  expect(npy.lines.at(-1)).toBe('dataset, test = random_split(dataset, [0.9, 0.1])');
  expect(code({ type: 'csv', file: 'a.csv' })).toEqual({
    imports: [],
    names: [],
    lines: ["dataset = read('a.csv')  # pairs of tensors x, y"],
  });
});
