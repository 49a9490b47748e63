/** What the ranks of a tensor group draw for dropout, in words, and whether the words are true. */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';
import { withTraining } from '../../training/testing/checkpoint-runs';
import { replicaDivergence } from '../../training/weights/weight-differences';

const dropped = (sizes: readonly number[]): LayerInput[] =>
  mlpLayers(sizes, 'Tanh').flatMap((layer): LayerInput[] =>
    layer.type === 'Tanh' ? [layer, { type: 'Dropout', p: 0.25 }] : [layer],
  );

const run = (sizes: readonly number[]): ConfigInput => ({
  device: 'cpu',
  compareSingle: false,
  mode: 'tensor',
  mesh: { tp: 2 },
  model: { layers: dropped(sizes) },
  data: { type: 'xor', samples: 48 },
  batchSize: 12,
});

test.each([
  ['equal parts', [2, 6, 4, 6, 1], 'tensor-dropout'],
  ['unequal parts behind the last whole activation', [2, 6, 4, 5, 1], 'tensor-dropout-apart'],
  ['unequal parts, and no whole activation', [2, 5, 1], 'tensor-dropout'],
  ['unequal parts before a whole activation', [2, 5, 4, 6, 1], 'tensor-dropout-apart'],
])('%s', async (_, sizes, id) => {
  const notices = createBlueprint(parseConfig(run(sizes)), {}).notices.filter((one) => one.id.startsWith('tensor-d'));
  expect(notices.map((one) => one.id)).toEqual([id]);
  await withTraining(run(sizes), {}, async (t) => {
    await t.run(3);
    const divergence = replicaDivergence(t.blueprint, await t.weights());
    expect(divergence > 0).toBe(id === 'tensor-dropout-apart');
  });
});

test('a dropout behind a convolution, which PyTorch does not cut', () => {
  const layers: LayerInput[] = [
    { type: 'Conv2d', in: 1, out: 4, kernel: 3 },
    { type: 'ReLU' },
    { type: 'Dropout', p: 0.25 },
    { type: 'Flatten' },
    { type: 'Linear', in: 16, out: 2 },
  ];
  const data = { type: 'prototypes', samples: 24, classes: 2, size: 4 } as const;
  const images: ConfigInput = { ...run([]), model: { layers }, data, loss: { type: 'CrossEntropyLoss' } };
  const { notices } = createBlueprint(parseConfig(images), {});
  expect(notices.find(({ id }) => id === 'tensor-dropout-whole')?.text).toMatch(
    /no style for Conv2d, so the exported script computes module "0" whole on every rank, and module "2" draws/,
  );
});

test.each([
  ['Shard(-1)', ['cuts-to-add']],
  ['Replicate', []],
] as const)('a residual connection adds a whole input and an output placed by %s', (outputLayouts, expected) => {
  const block: LayerInput = { type: 'Residual', layers: [{ type: 'Linear', in: 4, out: 4 }] };
  const config: ConfigInput = {
    ...run([2, 4, 1]),
    model: { layers: [{ type: 'Linear', in: 2, out: 4 }, block, { type: 'Linear', in: 4, out: 1 }] },
    tensor: { plan: { '1.layers.0': { style: 'ColwiseParallel', outputLayouts }, '2': 'RowwiseParallel' } },
  };
  const { notices } = createBlueprint(parseConfig(config), {});
  expect(notices.map(({ id }) => id).filter((id) => id === 'cuts-to-add' || id === 'gathers-between')).toEqual(
    expected,
  );
});

const CLASSES: ConfigInput = {
  ...run([2, 1]),
  model: { layers: mlpLayers([6, 4, 4], 'Tanh') },
  data: { type: 'prototypes', samples: 48, classes: 4, features: 6 },
  loss: { type: 'CrossEntropyLoss' },
};

test.each([
  ['the loss', { 2: 'ColwiseParallel' }, /the loss is computed from this part/, /the layer before the loss/],
  ['a layer', { 0: 'ColwiseParallel' }, /the run stops with “mat1 and mat2/, /RowwiseParallel/],
] as const)('%s needs an output whole: what PyTorch does, and what helps', (_, plan, text, hint) => {
  const { notices } = createBlueprint(parseConfig({ ...CLASSES, tensor: { plan } }), {});
  expect(notices.find(({ id }) => id === 'gathers-between')).toMatchObject({
    text: expect.stringMatching(text),
    hint: expect.stringMatching(hint),
  });
});

test('a reader that is no product does not stop with an error about products', () => {
  const [first, ...rest] = mlpLayers([6, 4, 4], 'Tanh');
  const layers: LayerInput[] = [must(first, 'a layer'), { type: 'LayerNorm', features: 4 }, ...rest];
  const plan = { 0: 'ColwiseParallel' } as const;
  const { notices } = createBlueprint(parseConfig({ ...CLASSES, model: { layers }, tensor: { plan } }), {});
  expect(notices.find(({ id }) => id === 'gathers-between')).toMatchObject({
    text: expect.stringMatching(/"1" needs whole.*the run stops, because the shapes/),
    hint: 'Give the layer before "1" the output layout "Replicate".',
  });
});

test('with the output layout "Replicate" before the loss there is no notice', () => {
  const plan = { 2: { style: 'ColwiseParallel', outputLayouts: 'Replicate' } } as const;
  const { notices } = createBlueprint(parseConfig({ ...CLASSES, tensor: { plan } }), {});
  expect(notices.map(({ id }) => id)).not.toContain('gathers-between');
});
