/**
 * Layouts of a plan: PrepareModuleInput and PrepareModuleOutput bring tensors where the plan wants them, wrong layouts
 * and local outputs are refused, and the script says what the run does.
 */
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { Config, ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';
import { createTraining } from '../../training/create-training';
import { DeviceKeeper } from '../../training/device-keeper';
import { differenceFromSingle } from '../../training/weights/weight-differences';
import { tensorListing } from './listing';

type Plan = NonNullable<NonNullable<ConfigInput['tensor']>['plan']>;

const configOf = (plan: Plan, more: ConfigInput = {}): Config =>
  parseConfig({
    mode: 'tensor',
    worldSize: 2,
    device: 'cpu',
    tensor: { plan },
    model: { layers: mlpLayers([4, 8, 6, 2], 'Tanh') },
    data: { type: 'randomRegression', samples: 24, in: 4, out: 2 },
    loss: { type: 'MSELoss' },
    batchSize: 6,
    ...more,
  });

const infoOf = (config: Config) => must(createBlueprint(config, {}).facts.plan, 'a plan');
const linesOf = (config: Config): readonly string[] =>
  tensorListing(createBlueprint(config, {}).config).map(({ text }) => text.trim());

const COLUMNS = 'ColwiseParallel' as const;
const INPUT = { style: 'PrepareModuleInput', desiredInputLayouts: 'Replicate' } as const;
const OUTPUT = { style: 'PrepareModuleOutput', desiredOutputLayouts: 'Replicate' } as const;

test.each<[string, Plan, readonly string[], readonly string[]]>([
  [
    'the input of a whole layer',
    { 0: COLUMNS, 2: INPUT },
    ['2'],
    [
      "'0': ColwiseParallel(),",
      "'2': PrepareModuleInput(input_layouts=Shard(-1), desired_input_layouts=Replicate(), use_local_output=True),",
    ],
  ],
  [
    'the input of an activation',
    { 0: COLUMNS, 1: INPUT },
    ['1'],
    ["'1': PrepareModuleInput(input_layouts=Shard(-1), desired_input_layouts=Replicate(), use_local_output=True),"],
  ],
  [
    'the output of an activation',
    { 0: COLUMNS, 1: OUTPUT },
    ['1'],
    ["'1': PrepareModuleOutput(output_layouts=Shard(-1), desired_output_layouts=Replicate()),"],
  ],
])('%s is gathered there', async (_, plan, modules, lines) => {
  const config = configOf(plan);
  const { collectives, gathersFor } = infoOf(config);
  const gathers = collectives.filter(({ op, phase }) => op === 'allGather' && phase === 'forward');
  expect(gathers.map(({ module }) => module)).toEqual(modules);
  // The plan asks for it.
  expect(gathersFor).toEqual([]);
  const text = linesOf(config);
  for (const line of lines) expect(text).toContain(line);
  expect(text).toContain(
    `from torch.distributed.tensor.parallel import ColwiseParallel, ${at(/Prepare\w+/.exec(lines.join()) ?? [], 0)}, parallelize_module`,
  );
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(6);
  expect(differenceFromSingle(blueprint, await training.weights())).toBeLessThanOrEqual(1e-6);
  await training.dispose();
});

test('columns are cut again behind a layer that every rank has whole', async () => {
  const cut = { style: 'PrepareModuleOutput', desiredOutputLayouts: 'Shard(-1)' } as const;
  const config = configOf({ 1: cut, 2: 'RowwiseParallel' });
  expect(infoOf(config).collectives.map(({ op, phase }) => `${op} ${phase}`)).toEqual([
    'allReduce forward',
    'allGather backward',
  ]);
  expect(linesOf(config)).toContain(
    "'1': PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(-1)),",
  );
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(6);
  expect(differenceFromSingle(blueprint, await training.weights())).toBeLessThanOrEqual(1e-6);
  await training.dispose();
});

test('an input that a module reads twice is gathered once', () => {
  const config = configOf(
    { 0: COLUMNS, 1: INPUT },
    {
      model: {
        layers: [
          { type: 'Linear', in: 4, out: 8 },
          { type: 'BatchNorm1d', features: 8 },
          { type: 'Linear', in: 8, out: 2 },
        ],
      },
    },
  );
  const { collectives } = infoOf(config);
  expect(collectives.map(({ op, phase, module }) => `${op} ${phase} ${module}`)).toEqual(['allGather forward 1']);
});

test('the input of an embedding of positions is no tensor of the run: a layout of it is not compared', () => {
  const layers = [
    { type: 'TokenEmbedding', vocab: 4, context: 6, width: 4, name: '' },
    { type: 'Linear', in: 4, out: 4, name: 'head' },
  ] as const;
  const cut = { style: 'RowwiseParallel', outputLayouts: 'Shard(1)' } as const;
  const text: ConfigInput = {
    model: { layers: [...layers] },
    // Shorter than the context of the model.
    data: { type: 'text', text: 'abcdabcdaabbccddabcdabcd', context: 4 },
    loss: { type: 'CrossEntropyLoss' },
  };
  const said = configOf({ tok: cut, pos: { ...cut, inputLayouts: 'Replicate' } }, text);
  expect(infoOf(said).collectives).toEqual(infoOf(configOf({ tok: cut, pos: cut }, text)).collectives);
});

test('layouts that match the actual ones are allowed, and change nothing', () => {
  const said = configOf({
    0: { style: COLUMNS, inputLayouts: 'Replicate', outputLayouts: 'Shard(-1)', useLocalOutput: true },
    2: { style: 'RowwiseParallel', inputLayouts: 'Shard(-1)', outputLayouts: 'Replicate' },
  });
  const plain = configOf({ 0: COLUMNS, 2: 'RowwiseParallel' });
  expect(linesOf(said)).toEqual(linesOf(plain));
  expect(infoOf(said).collectives).toEqual(infoOf(plain).collectives);
});

test.each<[string, Plan, ConfigInput, string]>([
  [
    'an input that lies otherwise',
    { 0: COLUMNS, 2: { style: 'RowwiseParallel', inputLayouts: 'Replicate' } },
    {},
    'inputLayouts of 2 is Replicate(), but the ranks hold Shard(dim=1): torch does not check that, and would compute with a wrong layout',
  ],
  [
    'an output that lies otherwise',
    { 0: { style: 'PrepareModuleOutput', outputLayouts: 'Shard(-1)', desiredOutputLayouts: 'Replicate' } },
    {},
    'outputLayouts of 0 is Shard(dim=1), but the ranks hold Replicate()',
  ],
  [
    'a sequence style behind a whole output',
    { 0: { style: COLUMNS, outputLayouts: 'Replicate' }, 1: 'SequenceParallel' },
    {
      model: {
        layers: [
          { type: 'Linear', in: 4, out: 6 },
          { type: 'LayerNorm', features: 6 },
          { type: 'Linear', in: 6, out: 2 },
        ],
      },
    },
    'SequenceParallel takes what 1 reads as Shard(dim=1), but the ranks hold the whole tensor',
  ],
  ['no desired layout', { 1: 'PrepareModuleInput' }, {}, 'PrepareModuleInput needs desiredInputLayouts'],
  [
    'a layout that the style has not',
    { 0: { style: COLUMNS, desiredOutputLayouts: 'Replicate' } },
    {},
    'ColwiseParallel has no desiredOutputLayouts',
  ],
  [
    'a cut input of a whole layer',
    { 2: { style: 'PrepareModuleInput', desiredInputLayouts: 'Shard(-1)' } },
    {},
    'torch would leave each rank with the gradient of its own part',
  ],
  [
    'a DTensor into a whole layer',
    { 0: COLUMNS, 2: { style: 'RowwiseParallel', useLocalOutput: false } },
    {},
    'useLocalOutput of 2 is false: the DTensor meets plain tensors in 4, and torch says “got mixed torch.Tensor and DTensor',
  ],
  [
    'a DTensor into the loss',
    { 4: { style: COLUMNS, outputLayouts: 'Replicate', useLocalOutput: false } },
    {},
    'meets plain tensors in the loss',
  ],
  [
    'plain columns that differ in number',
    { 0: { style: COLUMNS, useLocalOutput: true }, 2: 'RowwiseParallel' },
    { worldSize: 3 },
    'a and b must have same reduction dim',
  ],
])('%s is refused in words, with the key', (_, plan, more, words) => {
  expect(() => createBlueprint(configOf(plan, more), {})).toThrow(words);
  expect(() => createBlueprint(configOf(plan, more), {})).toThrow('tensor.plan');
});

test('use_local_output=False is printed where the plan says so', () => {
  const plan: Plan = { 0: { style: COLUMNS, useLocalOutput: false }, 2: 'RowwiseParallel' };
  expect(linesOf(configOf(plan))).toContain("'0': ColwiseParallel(use_local_output=False),");
});
