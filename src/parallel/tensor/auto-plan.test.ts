/** The plan that is made for a model cuts what can be cut, in pairs, and needs no gather that nobody asked for. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers, PRESETS, type PresetName } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';
import { autoPlan } from './auto-plan';

const planFor = (input: ConfigInput, ranks: number) => autoPlan(parseConfig(input), ranks);
const mlp = (...sizes: number[]): ConfigInput => ({ model: { layers: mlpLayers(sizes, 'ReLU') } });

test('layers by columns and rows, and the last one of an odd number whole', () => {
  expect(planFor(mlp(2, 8, 8, 1), 2)).toEqual({
    plan: { 0: 'ColwiseParallel', 2: 'RowwiseParallel' },
    lossParallel: false,
  });
  expect(planFor(mlp(2, 8, 8, 8, 1), 4).plan).toEqual({
    0: 'ColwiseParallel',
    2: 'RowwiseParallel',
    4: 'ColwiseParallel',
    6: 'RowwiseParallel',
  });
});

test('a layer stays whole if a rank would get no part of it', () => {
  // torch.chunk gives 2, 2, 2 and 2 of 8 columns, and the fifth rank none.
  expect(planFor(mlp(2, 8, 8, 1), 5).plan).toEqual({});
  expect(planFor(mlp(2, 3, 8, 1), 4).plan).toEqual({ 2: 'ColwiseParallel', 4: 'RowwiseParallel' });
});

test('convolutions by channels, with the norm between them; flattened channels only where all ranks have as many', () => {
  const cnn = (channels: number): ConfigInput => ({
    model: {
      layers: [
        { type: 'Conv2d', in: 1, out: channels, kernel: 3 },
        { type: 'BatchNorm2d', features: channels },
        { type: 'ReLU' },
        { type: 'Flatten' },
        { type: 'Linear', in: channels * 676, out: 10 },
      ],
    },
  });
  expect(planFor(cnn(4), 2).plan).toEqual({ 0: 'ColwiseParallel', 1: 'ColwiseParallel', 4: 'RowwiseParallel' });
  expect(planFor(cnn(5), 2).plan).toEqual({});
});

test('pairs within each branch of a residual block, and none across its border', () => {
  const linear = (into: number, out: number) => ({ type: 'Linear', in: into, out }) as const;
  const layers: LayerInput[] = [
    linear(2, 8),
    {
      type: 'Residual',
      layers: [linear(8, 6), { type: 'ReLU' }, linear(6, 8)],
      shortcut: [{ ...linear(8, 4), name: 'narrow' }, linear(4, 8)],
    },
    { type: 'ReLU' },
    { type: 'Residual', layers: [linear(8, 8)], name: 'last' },
    linear(8, 1),
  ];
  expect(planFor({ model: { layers } }, 2).plan).toEqual({
    '1.layers.0': 'ColwiseParallel',
    '1.layers.2': 'RowwiseParallel',
    '1.shortcut.narrow': 'ColwiseParallel',
    '1.shortcut.1': 'RowwiseParallel',
  });
  const { facts } = createBlueprint(
    parseConfig({ model: { layers }, mode: 'tensor', worldSize: 2, compareSingle: false, device: 'cpu' }),
    {},
  );
  expect(facts.plan?.gathersFor).toEqual([]);
});

test('with SyncBatchNorm a norm stays whole, because the replicas exchange its statistics', () => {
  const layers: LayerInput[] = [
    { type: 'Conv2d', in: 1, out: 4, kernel: 3 },
    { type: 'BatchNorm2d', features: 4 },
    { type: 'Conv2d', in: 4, out: 4, kernel: 3 },
    { type: 'ReLU' },
    { type: 'Conv2d', in: 4, out: 10, kernel: 3 },
    { type: 'AdaptiveAvgPool2d', output: 1 },
    { type: 'Flatten' },
  ];
  const synced: ConfigInput = {
    ...{ model: { layers }, mode: 'tensor', ddp: { syncBatchNorm: true } },
    loss: { type: 'CrossEntropyLoss' },
  };
  const pair = { 0: 'ColwiseParallel', 1: 'ColwiseParallel', 2: 'RowwiseParallel' };
  expect(planFor({ ...synced, mesh: { tp: 2 } }, 2).plan).toEqual(pair);
  const replicas = { ...synced, mesh: { tp: 2, dpReplicate: 2 } };
  expect(planFor(replicas, 2).plan).toEqual({ 2: 'ColwiseParallel', 4: 'RowwiseParallel' });
  const own: ConfigInput = { ...replicas, tensor: { plan: { 1: 'ColwiseParallel' } } };
  const data = { type: 'digits', samples: 20 } as const;
  expect(() =>
    createBlueprint(parseConfig({ ...own, data, batchSize: 8, compareSingle: false, device: 'cpu' }), {}),
  ).toThrow('with ddp.syncBatchNorm the replicas exchange the statistics of the whole BatchNorm2d');
});

test('attention by heads, if these can be divided; an embedding and the head by vocabulary', () => {
  const gpt = (heads: number): ConfigInput => ({
    model: {
      layers: [
        { type: 'TokenEmbedding', vocab: 11, context: 4, width: 12, name: '' },
        { type: 'TransformerBlock', width: 12, heads, name: 'b' },
        { type: 'LayerNorm', features: 12, name: 'ln' },
        { type: 'Linear', in: 12, out: 11, name: 'head' },
      ],
    },
    loss: { type: 'CrossEntropyLoss' },
  });
  const perceptron = { 'b.fc1': 'ColwiseParallel', 'b.fc2': 'RowwiseParallel' };
  const vocabulary = { tok: 'RowwiseParallel', head: 'ColwiseParallel' };
  const heads = { 'b.qkv': 'ColwiseParallel', 'b.proj': 'RowwiseParallel' };
  expect(planFor(gpt(4), 2)).toEqual({ plan: { ...heads, ...perceptron, ...vocabulary }, lossParallel: true });
  expect(planFor(gpt(3), 2).plan).toEqual({ ...perceptron, ...vocabulary });
  // Class weights belong to whole logits.
  const weighted = { ...gpt(4), loss: { type: 'CrossEntropyLoss', labelSmoothing: 0.1 } } as const;
  expect(planFor(weighted, 2)).toEqual({
    plan: { ...heads, ...perceptron, tok: 'RowwiseParallel' },
    lossParallel: false,
  });
});

describe.each(Object.keys(PRESETS) as PresetName[])('preset %s', (name) => {
  test.each([2, 3, 4])('among %i ranks nothing is gathered that the plan has cut', (worldSize) => {
    const { config } = PRESETS[name];
    const { facts, notices } = createBlueprint(
      parseConfig({ ...config, mode: 'tensor', worldSize, compareSingle: false, device: 'cpu' }),
      {},
    );
    expect(facts.plan?.gathersFor).toEqual([]);
    expect(notices.map(({ id }) => id)).not.toContain('plan-names-no-module');
  });
});

test('layers that share a weight stay whole, except a token embedding and its head', () => {
  const twins: LayerInput[] = [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'Linear', in: 4, out: 4, name: 'twin' },
    { type: 'Tanh' },
    { type: 'Linear', in: 4, out: 4, tied: 'twin.weight' },
    { type: 'Linear', in: 4, out: 4 },
    { type: 'Linear', in: 4, out: 1 },
  ];
  expect(planFor({ model: { layers: twins } }, 2).plan).toEqual({ 4: 'ColwiseParallel', 5: 'RowwiseParallel' });
  const tokens: LayerInput[] = [
    { type: 'TokenEmbedding', vocab: 8, context: 4, width: 4, name: '' },
    { type: 'Linear', in: 4, out: 8, name: 'head', tied: 'tok.weight' },
  ];
  const text = { model: { layers: tokens }, data: { type: 'text', text: 'abcdefgh' } } as const;
  const planWith = (labelSmoothing: number) =>
    planFor({ ...text, loss: { type: 'CrossEntropyLoss', labelSmoothing } }, 2);
  expect(planWith(0)).toEqual({ plan: { tok: 'RowwiseParallel', head: 'ColwiseParallel' }, lossParallel: true });
  expect(planWith(0.1)).toEqual({ plan: {}, lossParallel: false });
});

test('a plan that names only one of two modules with a shared weight is refused in PyTorch’s words', () => {
  const run = (plan: Record<string, 'RowwiseParallel' | 'ColwiseParallel'>) =>
    createBlueprint(
      parseConfig({
        mode: 'tensor',
        worldSize: 2,
        device: 'cpu',
        data: { type: 'randomRegression', in: 4, out: 4 },
        loss: { type: 'MSELoss' },
        model: {
          layers: [
            { type: 'Linear', in: 4, out: 4 },
            { type: 'Linear', in: 4, out: 4, tied: '0.weight' },
          ],
        },
        tensor: { plan },
      }),
      {},
    );
  expect(() => run({ 0: 'RowwiseParallel' })).toThrow(
    /0 and 1 share 0.weight.*a parameter of its own.*got mixed torch.Tensor and DTensor/,
  );
  expect(() => run({ 1: 'ColwiseParallel' })).toThrow(/got mixed torch.Tensor and DTensor/);
  expect(() => run({ 0: 'ColwiseParallel', 1: 'ColwiseParallel' })).not.toThrow();
});
