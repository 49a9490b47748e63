import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type Config, configSchema, HARDWARE, MODES } from '../protocol/config';
import { ACTIVATION_NAMES, plainLayers } from './model/families';
import { PAGE_CONFIG } from './page-config';
import { parsePermalink, printPermalink } from './permalink';
import { DEFAULT_VIEW, PARTS } from './permalink-view';

const real = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const count = (min: number, max: number) => fc.integer({ min, max });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const name = fc.string({ minLength: 1, maxLength: 12 });

const layer = fc.oneof(
  fc.record({ type: fc.constant('Linear'), in: count(1, 99), out: count(1, 99), bias: fc.boolean() }),
  fc.record({ type: fc.constant('GELU'), approximate: fc.constantFrom('none', 'tanh') }),
  fc.record({ type: fc.constantFrom('ReLU', 'Tanh', 'Sigmoid', 'Softmax', 'LogSoftmax') }),
);
const plain = fc
  .record({
    sizes: fc.array(count(1, 99), { minLength: 2, maxLength: 6 }),
    activation: fc.constantFrom(...ACTIVATION_NAMES),
  })
  .map((net) => [...plainLayers(net)]);

const toy = fc.record({
  type: fc.constantFrom('circle', 'xor', 'gauss', 'spiral', 'plane'),
  samples: count(2, 100_000),
  noise: real(0, 1),
  testFraction: real(0, 0.9),
});
const data = fc.oneof(
  toy,
  fc.record({ type: fc.constant('randomRegression'), samples: count(2, 9999), in: count(1, 99), out: count(1, 99) }),
  fc.record(
    {
      type: fc.constant('csv'),
      file: name,
      target: fc.oneof(name, count(0, 99)),
      header: fc.constantFrom('auto', 'no'),
    },
    { requiredKeys: ['type', 'file'] },
  ),
  fc.record({ type: fc.constant('npy'), inputs: name, targets: name, testFraction: real(0, 0.9) }),
);
const adam = {
  lr: real(0, 100),
  beta1: real(0, 0.99),
  beta2: real(0, 0.99),
  eps: real(0, 1),
  weightDecay: real(0, 10),
};
const optimizer = fc.oneof(
  fc.record({
    type: fc.constant('SGD'),
    lr: real(0, 100),
    momentum: real(0, 1),
    dampening: real(0, 1),
    weightDecay: real(0, 10),
    nesterov: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('Adam', 'AdamW'), ...adam }),
);

const config: fc.Arbitrary<Config> = fc
  .record({
    model: fc.oneof(plain, fc.array(layer, { minLength: 1, maxLength: 6 })).map((layers) => ({ layers })),
    loss: fc.record({
      type: fc.constantFrom('MSELoss', 'CrossEntropyLoss', 'BCEWithLogitsLoss'),
      reduction: fc.constantFrom('mean', 'sum'),
    }),
    optimizer,
    data,
    batchSize: count(1, 8192),
    shuffle: fc.boolean(),
    dropLast: fc.boolean(),
    steps: count(1, 10_000),
    epochs: maybe(count(1, 99)),
    seed: count(0, 4294967295),
    mode: fc.constantFrom(...MODES),
    worldSize: count(1, 8),
    placement: fc.constantFrom('shared', 'workers'),
    device: fc.constantFrom('auto', 'webgpu', 'cpu'),
    ddp: fc.record({
      bucketCapMb: maybe(real(0.00001, 4096)),
      algorithm: fc.constantFrom('ring', 'naive'),
      overlap: fc.boolean(),
      samplerSeed: count(0, 999),
    }),
    modelParallel: fc.record({ split: maybe(fc.array(count(1, 9), { minLength: 1, maxLength: 8 })) }),
    hardware: fc.constantFrom(...HARDWARE),
    memoryBudgetMb: real(0.001, 1_000_000),
    compareSingle: fc.boolean(),
    weights: maybe(name),
  })
  // JSON takes away what is undefined, as an absent setting is.
  .map((raw) => v.parse(configSchema, JSON.parse(JSON.stringify(raw))));

const view = fc.record({
  theme: fc.constantFrom('light' as const, 'dark' as const, 'system' as const),
  embed: fc.boolean(),
  hide: fc.subarray([...PARTS]).map((parts) => new Set<string>(parts)),
  lock: fc.subarray([...PARTS]).map((parts) => new Set<string>(parts)),
});

describe('permalink', () => {
  it('brings every configuration back', () => {
    fc.assert(
      fc.property(config, view, (wanted, wantedView) => {
        const link = parsePermalink(`#${printPermalink(wanted, wantedView, [])}`);
        expect(link.notices).toEqual([]);
        expect(link.config).toEqual(wanted);
        expect(link.view).toEqual(wantedView);
      }),
      { numRuns: 500 },
    );
  });

  it('says only the seed of the default run', () => {
    expect(printPermalink(PAGE_CONFIG, DEFAULT_VIEW, [])).toBe('seed=0');
    expect(parsePermalink('').config).toEqual(PAGE_CONFIG);
  });

  it('is readable', () => {
    const { config: read } = parsePermalink('#seed=7&mode=mp&world=3&layers=2-4-4-1&act=relu&opt=sgd&lr=0.03');
    expect(printPermalink(read, DEFAULT_VIEW, [])).toBe(
      'seed=7&opt=sgd&mode=mp&world=3&lr=0.03&layers=2-4-4-1&act=relu',
    );
  });

  it.each([
    ['world=99', 'world=99', 'from 1 to 8'],
    ['lr=fast', 'lr=fast', 'from 0 to 100'],
    ['mode=fsdp', 'mode=fsdp', 'single, dp, ddp, mp'],
    ['data=mnist', 'data=mnist', 'spiral'],
    ['layers=2-0-1', 'layers=2-0-1', 'from 1 to 8192'],
    ['momentum=0.9', 'momentum=0.9', 'no such setting with Adam'],
    ['colour=red', 'colour=red', 'no such setting'],
    ['bucket=huge', 'bucket=huge', 'MiB'],
    ['theme=pink', 'theme=pink', 'light, dark'],
    ['hide=stage,moon', 'hide=moon', 'timeline'],
  ])('%s: default used, value kept, notice says which and what is allowed', (hash, named, allowed) => {
    const link = parsePermalink(`#${hash}`);
    expect(link.config).toEqual(PAGE_CONFIG);
    expect(link.notices).toHaveLength(1);
    expect(link.notices[0]?.text).toContain(named);
    expect(link.notices[0]?.text).toContain(allowed);
    expect(printPermalink(link.config, link.view, link.kept)).toContain(hash);
  });

  it('drops a kept value when that setting has got a good one', () => {
    const link = parsePermalink('#world=99');
    expect(printPermalink({ ...link.config, worldSize: 2 }, link.view, link.kept)).toBe('seed=0&world=2');
  });

  it('understands the names of the Config', () => {
    expect(parsePermalink('#mode=dataParallel&worldSize=2').config).toMatchObject({
      mode: 'dataParallel',
      worldSize: 2,
    });
  });
});
