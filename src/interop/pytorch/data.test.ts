/**
 * The data lines by family; that they draw the run's numbers under real torch is held in
 * training/parity/script-losses.test.ts.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../protocol/config';
import { dataCode } from './data';

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

test('files: .npy is read; names are quoted; the script reads the number of rows', () => {
  const npy = code({ type: 'npy', inputs: 'x.npy', targets: "it's.npy", testFraction: 0.1 });
  expect(npy.imports).toEqual(['import numpy as np']);
  expect(npy.lines[0]).toBe(`x, y = (torch.from_numpy(np.load(f)) for f in ('x.npy', "it's.npy"))`);
  expect(npy.lines.slice(-2)).toEqual([
    'tests = int(len(dataset) * 0.1)',
    'dataset, test = random_split(dataset, [len(dataset) - tests, tests])',
  ]);
});

test.each([
  { type: 'csv', file: 'a.csv', testFraction: 0.1 },
  { type: 'digits', samples: 20 },
  { type: 'shapes', samples: 20 },
  { type: 'idx', images: 'i', labels: 'l' },
  { type: 'png' },
] as const)(
  '$type: rows that only Lockstep makes or reads come from its export, with the generator after them',
  (data) => {
    const { imports, lines } = code(data, 'CrossEntropyLoss');
    expect(imports).toEqual(['from safetensors.torch import load_file']);
    expect(lines.join('\n')).not.toContain('random_split');
    expect(lines.at(-1)).toContain("torch.set_rng_state(data['rng_state'])");
  },
);

test('prototypes, as classes and as numbers', () => {
  const { lines } = code({ type: 'prototypes', samples: 20, classes: 3, size: 4 }, 'CrossEntropyLoss');
  expect(lines).toEqual([
    'prototypes = torch.rand(3, 16)',
    'y = torch.randint(0, 3, (20,))',
    'x = (0.5 * prototypes[y] + 0.5 * torch.rand(20, 16)).reshape(-1, 1, 4, 4)',
    'dataset = TensorDataset(x, y)',
  ]);
  expect(code({ type: 'prototypes', classes: 2 }).lines.at(-2)).toBe('y = y[:, None] * 2.0 - 1');
});

test('text: a short one is written into the script, a long one is opened as a file', () => {
  const source = (text: string) => code({ type: 'text', text, context: 4 }, 'CrossEntropyLoss').lines[0];
  expect(source('say "a"\r\nb')).toBe('text = "say \\"a\\"\\nb"');
  expect(source('x'.repeat(20_000))).toContain("open('text.txt'");
});
