import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { EXHIBIT_IDS } from '../../museum/mistakes';
import { ALGORITHM_NAMES, COLLECTIVE_OPS, REDUCE_OPS } from '../../protocol/collective';
import { type Config, configSchema, HARDWARE, MODES } from '../../protocol/config';
import { LAYOUTS, STYLE_NAMES } from '../../protocol/config/tensor';
import { OPENING_CONFIG, PAGE_CONFIG } from '../edit/page-config';
import { PAGE_PRESETS, PRESET_NAMES } from '../edit/page-presets';
import { ACTIVATION_NAMES, plainLayers } from '../model/families';
import { DEFAULT_LAB, withLab } from './lab-link';
import { parseAddress, parsePermalink, printPermalink } from './permalink';
import { DEFAULT_VIEW, PARTS } from './permalink-view';
import { EXAMPLE_IDS } from './recording-link';

const real = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const count = (min: number, max: number) => fc.integer({ min, max });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const name = fc.string({ minLength: 1, maxLength: 12 });

const path = fc.stringMatching(/^[A-Za-z_0-9.]{0,12}$/);
const named = <T>(fields: Record<string, fc.Arbitrary<T>>) => ({ ...fields, name: maybe(path) });
const pair = (min: number, max: number) => fc.oneof(count(min, max), fc.tuple(count(min, max), count(min, max)));
const kind = (type: string, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record(named({ type: fc.constant(type), ...fields }));
const norm = { eps: real(0, 1), affine: fc.boolean() };
const pool = { kernel: pair(1, 9), stride: maybe(pair(1, 9)), padding: pair(0, 4) };

const leaf = fc.oneof(
  kind('Linear', {
    in: count(1, 99),
    out: count(1, 99),
    bias: fc.boolean(),
    tied: maybe(fc.string({ maxLength: 12 })),
  }),
  kind('GELU', { approximate: fc.constantFrom('none', 'tanh') }),
  fc
    .constantFrom('ReLU', 'Tanh', 'Sigmoid', 'SiLU', 'Softplus', 'Softmax', 'LogSoftmax', 'Flatten')
    .chain((type) => kind(type)),
  kind('LeakyReLU', { negativeSlope: real(0, 10) }),
  kind('ELU', { alpha: real(0, 10) }),
  kind('Dropout', { p: real(0, 1) }),
  kind('Conv2d', {
    in: count(1, 99),
    out: count(1, 99),
    kernel: pair(1, 9),
    stride: pair(1, 9),
    padding: pair(0, 9),
    dilation: pair(1, 9),
    groups: count(1, 9),
    bias: fc.boolean(),
  }),
  kind('MaxPool2d', { ...pool, ceilMode: fc.boolean() }),
  kind('AvgPool2d', { ...pool, ceilMode: fc.boolean(), countIncludePad: fc.boolean() }),
  kind('AdaptiveAvgPool2d', { output: pair(1, 9) }),
  kind('BatchNorm1d', { features: count(1, 99), momentum: real(0, 1), ...norm }),
  kind('BatchNorm2d', { features: count(1, 99), momentum: real(0, 1), ...norm }),
  kind('LayerNorm', { features: count(1, 99), ...norm, bias: fc.boolean() }),
  kind('GroupNorm', { groups: count(1, 9), channels: count(1, 99), ...norm }),
  kind('Embedding', { vocab: count(1, 99), width: count(1, 99), paddingIdx: maybe(count(0, 9)) }),
  kind('TokenEmbedding', { vocab: count(1, 99), context: count(1, 99), width: count(1, 99) }),
  kind('MultiheadAttention', { width: count(1, 99), heads: count(1, 9), bias: fc.boolean(), causal: fc.boolean() }),
  kind('TransformerBlock', {
    width: count(1, 99),
    heads: count(1, 9),
    expansion: count(1, 9),
    causal: fc.boolean(),
    dropout: real(0, 0.99),
  }),
);
const leaves = fc.array(leaf, { minLength: 1, maxLength: 3 });
const layer = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 1, arbitrary: kind('Residual', { layers: leaves, shortcut: maybe(leaves) }) },
  { weight: 1, arbitrary: kind('Unused', { layers: leaves }) },
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
const fraction = { testFraction: real(0, 0.9) };
const data = fc.oneof(
  toy,
  fc.record({ type: fc.constant('randomRegression'), samples: count(2, 9999), in: count(1, 99), out: count(1, 99) }),
  fc.record({
    type: fc.constant('prototypes'),
    samples: count(2, 9999),
    classes: count(2, 99),
    features: count(1, 99),
    size: maybe(count(2, 64)),
  }),
  fc.record({
    type: fc.constantFrom('digits', 'shapes'),
    samples: count(2, 9999),
    size: count(8, 64),
    noise: real(0, 1),
    ...fraction,
  }),
  fc.record({
    type: fc.constant('sequence'),
    task: fc.constantFrom('sort', 'reverse', 'copy', 'modularAddition', 'parity'),
    samples: count(2, 9999),
    length: count(1, 99),
    symbols: count(2, 99),
    ...fraction,
  }),
  fc.record({
    type: fc.constant('text'),
    file: maybe(name),
    text: maybe(fc.string({ minLength: 2, maxLength: 40 })),
    context: count(1, 99),
    stride: maybe(count(1, 99)),
    ...fraction,
  }),
  fc.record(
    {
      type: fc.constant('csv'),
      file: name,
      target: fc.oneof(name, count(0, 99)),
      header: fc.constantFrom('auto', 'no'),
    },
    { requiredKeys: ['type', 'file'] },
  ),
  fc.record({ type: fc.constant('npy'), inputs: name, targets: name, ...fraction }),
  fc.record({ type: fc.constant('idx'), images: name, labels: name, ...fraction }),
  fc.record({ type: fc.constant('png'), zip: maybe(name), size: count(8, 64), color: fc.boolean(), ...fraction }),
);
const moments = {
  lr: real(0, 100),
  beta1: real(0, 0.99),
  beta2: real(0, 0.99),
  eps: real(0, 1),
  weightDecay: real(0, 10),
  maximize: fc.boolean(),
};
const decay = { lr: real(0, 100), weightDecay: real(0, 10), maximize: fc.boolean() };
const optimizer = fc.oneof(
  fc.record({
    type: fc.constant('SGD'),
    lr: real(0, 100),
    momentum: real(0, 1),
    dampening: real(0, 1),
    weightDecay: real(0, 10),
    nesterov: fc.boolean(),
    maximize: fc.boolean(),
  }),
  fc.record({ type: fc.constant('AdamW'), ...moments, amsgrad: fc.boolean() }),
  fc.record({ type: fc.constant('Adam'), ...moments, amsgrad: fc.boolean(), decoupledWeightDecay: fc.boolean() }),
  fc.record({
    type: fc.constant('RMSprop'),
    ...decay,
    alpha: real(0, 0.99),
    momentum: real(0, 1),
    centered: fc.boolean(),
  }),
  fc.record({ type: fc.constant('Adagrad'), ...decay, lrDecay: real(0, 10), initialAccumulatorValue: real(0, 1000) }),
  fc.record({ type: fc.constant('Adadelta'), ...decay, rho: real(0, 0.99), eps: real(0, 1) }),
  fc.record({ type: fc.constant('Adamax'), ...moments }),
  fc.record({ type: fc.constant('NAdam'), ...moments, momentumDecay: real(0, 1), decoupledWeightDecay: fc.boolean() }),
  fc.record({ type: fc.constant('RAdam'), ...moments, decoupledWeightDecay: fc.boolean() }),
);
const simpleScheduler = fc.oneof(
  fc.record({
    type: fc.constant('StepLR'),
    stepSize: count(1, 999),
    gamma: real(0, 10),
    every: fc.constantFrom('step', 'epoch'),
  }),
  fc.record({ type: fc.constant('MultiStepLR'), milestones: fc.array(count(1, 999), { minLength: 1, maxLength: 5 }) }),
  fc.record({
    type: fc.constant('OneCycleLR'),
    maxLr: real(0, 100),
    totalSteps: count(1, 999),
    threePhase: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('CyclicLR'),
    baseLr: real(0, 1),
    maxLr: real(0, 1),
    mode: fc.constantFrom('triangular', 'exp_range'),
  }),
  fc.record({ type: fc.constant('WarmupCosine'), warmupSteps: count(0, 99), totalSteps: count(1, 999) }),
);
const scheduler = fc.oneof(
  simpleScheduler,
  fc.record({
    type: fc.constant('SequentialLR'),
    schedulers: fc.array(simpleScheduler, { minLength: 2, maxLength: 3 }),
    milestones: fc.array(count(1, 999), { minLength: 1, maxLength: 2 }),
  }),
);
const reduction = fc.constantFrom('mean', 'sum');
const weights = maybe(fc.array(real(0, 1000), { minLength: 1, maxLength: 4 }));
const loss = fc.oneof(
  fc.record({ type: fc.constantFrom('MSELoss', 'L1Loss'), reduction }),
  fc.record({ type: fc.constant('BCEWithLogitsLoss'), reduction, posWeight: weights }),
  fc.record({
    type: fc.constant('CrossEntropyLoss'),
    reduction,
    labelSmoothing: maybe(real(0, 1)),
    ignoreIndex: maybe(fc.integer({ min: -200, max: 200 })),
    classWeights: weights,
  }),
  fc.record({ type: fc.constant('HuberLoss'), reduction, delta: real(0.01, 1000) }),
  fc.record({ type: fc.constant('SmoothL1Loss'), reduction, beta: real(0, 1000) }),
  fc.record({
    type: fc.constant('NLLLoss'),
    reduction,
    ignoreIndex: fc.integer({ min: -200, max: 200 }),
    classWeights: weights,
  }),
);
const preset = fc.constantFrom(...PRESET_NAMES).map((chosen) => [...PAGE_PRESETS[chosen].model.layers]);

const commHook = fc.oneof(
  fc.record({ type: fc.constantFrom('allreduce', 'fp16Compress', 'bf16Compress') }),
  fc.record({ type: fc.constant('powerSGD'), matrixApproximationRank: count(1, 64), warmStart: fc.boolean() }),
  fc.record({ type: fc.constant('localSGD'), period: count(1, 99), startLocalSGDIter: count(0, 99) }),
);
const straggler = fc.oneof(
  fc.record({ type: fc.constant('rank'), rank: count(0, 15), factor: real(1, 1000) }),
  fc.record({ type: fc.constant('link'), from: count(0, 15), to: count(0, 15), factor: real(1, 1000) }),
);
const tensorLayout = maybe(fc.constantFrom(...LAYOUTS));
const style = fc.oneof(
  fc.constantFrom(...STYLE_NAMES),
  fc.record({
    style: fc.constantFrom(...STYLE_NAMES),
    inputLayouts: tensorLayout,
    desiredInputLayouts: tensorLayout,
    outputLayouts: tensorLayout,
    desiredOutputLayouts: tensorLayout,
    useLocalOutput: maybe(fc.boolean()),
  }),
);
const config: fc.Arbitrary<Config> = fc
  .record({
    model: fc.oneof(plain, preset, fc.array(layer, { minLength: 1, maxLength: 5 })).map((layers) => ({ layers })),
    loss,
    optimizer,
    paramGroups: fc.array(fc.record({ match: name, lr: maybe(real(0, 100)), weightDecay: maybe(real(0, 10)) }), {
      maxLength: 2,
    }),
    scheduler: maybe(scheduler),
    clipGradNorm: maybe(real(0, 1e9)),
    clipGradNormType: maybe(fc.oneof(real(0.5, 16), fc.constant('inf'))),
    clipGradValue: maybe(real(0, 1e9)),
    accumulate: count(1, 256),
    fuse: fc.boolean(),
    checkpointSegments: maybe(count(1, 64)),
    data,
    batchSize: count(1, 8192),
    shuffle: fc.boolean(),
    dropLast: fc.boolean(),
    steps: count(1, 10_000),
    epochs: maybe(count(1, 99)),
    seed: count(0, 4294967295),
    mode: fc.constantFrom(...MODES),
    worldSize: count(1, 64),
    placement: fc.constantFrom('shared', 'workers'),
    device: fc.constantFrom('auto', 'webgpu', 'cpu'),
    ddp: fc.record({
      bucketCapMb: maybe(real(0.00001, 4096)),
      algorithm: fc.constantFrom(...ALGORITHM_NAMES),
      overlap: fc.boolean(),
      samplerSeed: count(0, 999),
      findUnusedParameters: fc.boolean(),
      staticGraph: fc.boolean(),
      gradientAsBucketView: fc.boolean(),
      initSync: fc.boolean(),
      broadcastBuffers: fc.boolean(),
      commHook,
      syncBatchNorm: fc.boolean(),
      setEpoch: fc.boolean(),
      rankSeeds: fc.constantFrom('same', 'beforeModel', 'afterModel'),
      noSync: fc.constantFrom('both', 'forward', 'backward', 'none'),
      samplesPerRank: maybe(fc.array(count(0, 999), { maxLength: 8 })),
      join: fc.boolean(),
      divideByInitialWorldSize: fc.boolean(),
    }),
    tensor: fc.record({
      plan: maybe(fc.dictionary(fc.constantFrom('0', '2', 'head', 'blocks.*.qkv', 'blocks.0.ln1'), style)),
      lossParallel: maybe(fc.boolean()),
    }),
    parameterServer: fc.record({ synchronous: fc.boolean(), staleness: count(0, 64) }),
    nodes: count(1, 16),
    visibleDevices: maybe(fc.array(count(0, 15), { maxLength: 8 })),
    adapters: maybe(
      fc.array(fc.constantFrom('highPerformance', 'lowPower', 'software', 'cpu'), { minLength: 1, maxLength: 8 }),
    ),
    timeoutS: real(0.1, 86_400),
    maxRestarts: count(0, 100),
    stragglers: fc.array(straggler, { maxLength: 4 }),
    resume: maybe(name),
    resumeBy: fc.constantFrom('everyRank', 'rank0'),
    modelParallel: fc.record({ split: maybe(fc.array(count(1, 9), { minLength: 1, maxLength: 8 })) }),
    hardware: fc.constantFrom(...HARDWARE),
    memoryBudgetMb: real(0.001, 1_000_000),
    compareSingle: fc.boolean(),
    weights: maybe(name),
  })
  // JSON removes undefined values, so they become absent settings.
  .map((raw) => v.parse(configSchema, JSON.parse(JSON.stringify(raw))));

const view = fc.record({
  theme: fc.constantFrom('light' as const, 'dark' as const, 'system' as const),
  embed: fc.boolean(),
  hide: fc.subarray([...PARTS]).map((parts) => new Set<string>(parts)),
  lock: fc.subarray([...PARTS]).map((parts) => new Set<string>(parts)),
  exhibit: maybe(fc.record({ id: fc.constantFrom(...EXHIBIT_IDS), cured: fc.boolean() })),
  lab: maybe(
    fc
      .record({
        type: fc.constantFrom(...COLLECTIVE_OPS),
        reduce: fc.constantFrom(...REDUCE_OPS),
        algorithm: fc.constantFrom(...ALGORITHM_NAMES),
        ranks: fc.integer({ min: 1, max: 16 }),
        length: fc.integer({ min: 0, max: 1000 }),
        latencyUs: fc.integer({ min: 0, max: 100 }),
        gbPerS: fc.constantFrom(0.5, 1.25, 300),
        round: fc.integer({ min: 0, max: 30 }),
      })
      .map((part) => withLab(DEFAULT_LAB, part)),
  ),
  beside: fc.constantFrom(undefined, 'mode:single,bucket:25', 'file:a%2Cb'),
  recording: fc.constantFrom(undefined, ...EXAMPLE_IDS),
});

describe('permalink', () => {
  it('restores every configuration', () => {
    void fc.assert(
      fc.property(config, view, (wanted, wantedView) => {
        const link = parsePermalink(`#${printPermalink(wanted, wantedView, [])}`);
        expect(link.notices).toEqual([]);
        expect(link.config).toEqual(wanted);
        expect(link.view).toEqual(wantedView);
      }),
      { numRuns: 500 },
    );
  });

  it('contains only the seed for the default run', () => {
    expect(printPermalink(PAGE_CONFIG, DEFAULT_VIEW, [])).toBe('seed=0');
    expect(parsePermalink('').config).toEqual(PAGE_CONFIG);
  });

  it('without a link the page opens its own run, whose link names the differences', () => {
    expect(parseAddress('').config).toEqual(OPENING_CONFIG);
    expect(printPermalink(OPENING_CONFIG, DEFAULT_VIEW, [])).toBe('seed=0&hardware=transputer');
    expect(parseAddress('#seed=0').config).toEqual(PAGE_CONFIG);
  });

  it('names a preset and what was changed in it', () => {
    const hashOf = (config: Config) => printPermalink(config, DEFAULT_VIEW, []);
    expect(PRESET_NAMES.map((name) => hashOf(PAGE_PRESETS[name]))).toEqual([
      'seed=0',
      'seed=0&preset=deepMlp',
      'seed=0&preset=wideMlp',
      'seed=0&preset=cnn',
      'seed=0&preset=gpt',
    ]);
    const { config: wider } = parsePermalink('#preset=cnn&channels=4-12&batch=32&fuse=1');
    expect(wider.model.layers.map(({ type }) => type)).toEqual(PAGE_PRESETS.cnn.model.layers.map(({ type }) => type));
    expect(hashOf(wider)).toBe('seed=0&preset=cnn&batch=32&fuse=1&channels=4-12');
    expect(hashOf(parsePermalink('#preset=gpt&gpt=4-4-32&context=16').config)).toBe(
      'seed=0&preset=gpt&context=16&gpt=4-4-32',
    );
  });

  it('writes any other model layer by layer, without the sizes that follow', () => {
    const text = 'conv8k3p1-bn-relu-pool2-res(conv8k3p1-bn!conv8k1)-relu-adaptivepool1-flatten-linear10';
    const { config: read, notices } = parsePermalink(`#preset=cnn&model=${text}`);
    expect(notices).toEqual([]);
    expect(read.model.layers[0]).toMatchObject({ type: 'Conv2d', in: 1, out: 8 });
    expect(read.model.layers.at(-1)).toMatchObject({ type: 'Linear', in: 8, out: 10 });
    expect(printPermalink(read, DEFAULT_VIEW, [])).toBe(`seed=0&preset=cnn&model=${text}`);
  });

  it('understands links from before', () => {
    const { config: read, notices } = parsePermalink('#model=Linear(2,8),ReLU,Linear(8,1,nobias),GELU(tanh)');
    expect(notices).toEqual([]);
    expect(read.model.layers).toMatchObject([
      { type: 'Linear', in: 2, out: 8, bias: true },
      { type: 'ReLU' },
      { type: 'Linear', in: 8, out: 1, bias: false },
      { type: 'GELU', approximate: 'tanh' },
    ]);
  });

  it('writes a schedule of one’s own row by row', () => {
    const hash = 'mode=pipeline&pp=2&microBatches=2&pipeline=own&actions=0F0,0F1,0B0,0B1~1F0,1B0,1F1,1B1';
    const { config, notices } = parsePermalink(hash);
    expect(notices).toEqual([]);
    expect(config.pipeline).toMatchObject({ schedule: 'own', actions: '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1' });
    expect(printPermalink(config, DEFAULT_VIEW, [])).toContain('&actions=0F0,0F1,0B0,0B1~1F0,1B0,1F1,1B1');
    const texts = fc.stringMatching(/^[01FBIW,~'\n();]{1,30}$/);
    void fc.assert(
      fc.property(fc.oneof(texts, fc.constantFrom('none', "'none'", '~', '\n')), (actions) => {
        const own = v.parse(configSchema, { ...config, pipeline: { ...config.pipeline, actions } });
        const back = parsePermalink(printPermalink(own, DEFAULT_VIEW, []));
        expect(back.config.pipeline.actions).toBe(actions);
      }),
    );
  });

  it('is readable', () => {
    const { config: read } = parsePermalink('#seed=7&mode=mp&world=3&layers=2-4-4-1&act=relu&opt=sgd&lr=0.03');
    expect(printPermalink(read, DEFAULT_VIEW, [])).toBe(
      'seed=7&opt=sgd&mode=mp&world=3&lr=0.03&layers=2-4-4-1&act=relu',
    );
  });

  it.each([
    ['world=99', 'world=99', 'from 1 to 64'],
    ['lr=fast', 'lr=fast', 'from 0 to 100'],
    ['mode=fsdp', 'mode=fsdp', 'single, dp, ddp, mp'],
    ['data=mnist', 'data=mnist', 'spiral'],
    ['layers=2-0-1', 'layers=2-0-1', 'from 1 to 8192'],
    ['momentum=0.9', 'momentum=0.9', 'no such setting with Adam'],
    ['colour=red', 'colour=red', 'no such setting'],
    ['bucket=huge', 'bucket=huge', 'MiB'],
    ['preset=resnet', 'preset=resnet', 'mlp, deepMlp, wideMlp, cnn, gpt'],
    ['model=conv8k', 'model=conv8k', 'conv8k3p1'],
    ['sched=StepLR(step', 'sched=StepLR(step', 'StepLR(stepSize:100)'],
    ['sched=StepLR(gamma:2)', 'sched=StepLR(gamma:2)', 'StepLR(stepSize:100)'],
    ['channels=8-16', 'channels=8-16', 'for data of images'],
    ['loss=hinge', 'loss=hinge', 'mse, ce, bce'],
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

  it.each([
    ['world=99', 'world=99 (worldSize): '],
    ['worldSize=99', 'world=99 (worldSize): '],
    ['bucket=huge', 'bucket=huge (ddp.bucketCapMb): '],
    ['layers=2-0-1', 'layers=2-0-1 (model.layers): '],
    ['data=mnist', 'data=mnist (data.type): '],
    ['mode=pipeline&world=8&pp=4', 'world=8 (worldSize): '],
    ['dp=1&dp=2', 'dp (mesh.dpReplicate) twice: '],
    ['seed=x', 'seed=x: '],
    ['theme=pink', 'theme=pink: '],
    ['colour=red', 'colour=red: '],
  ])('%s: a notice has the name of the setting in configurations beside the key of the link', (hash, named) => {
    expect(parsePermalink(`#${hash}`).notices[0]?.text).toContain(named);
  });

  it('uses the valid values of a link that has an invalid one', () => {
    const link = parsePermalink('#world=99&lr=0.5&batch=16&data=xor&noise=7&samples=40');
    expect(link.config).toMatchObject({
      worldSize: PAGE_CONFIG.worldSize,
      optimizer: { lr: 0.5 },
      batchSize: 16,
      data: { type: 'xor', samples: 40 },
    });
    expect(link.kept).toEqual([
      ['noise', '7'],
      ['world', '99'],
    ]);
  });

  it('says that the world size differs from the mesh, which counts', () => {
    const { config, kept, notices } = parsePermalink('#mode=pipeline&world=8&pp=4');
    expect(config.worldSize).toBe(4);
    expect(kept).toEqual([['world', '8']]);
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('the mesh of pp 4 and dp 1 has 4 ranks')]);
    expect(parsePermalink('#mode=pipeline&world=8&pp=4&dp=2').notices).toEqual([]);
  });

  it('reads half a pair of UTF-16 as the replacement character that is written back', () => {
    const { config, view, kept } = parsePermalink('#resume=a\ud800');
    expect(config.resume).toBe('a\ufffd');
    expect(parsePermalink(`#${printPermalink(config, view, kept)}`).config).toEqual(config);
  });

  it('drops a kept value when the setting gets a valid one', () => {
    const link = parsePermalink('#world=99');
    expect(printPermalink({ ...link.config, worldSize: 2 }, link.view, link.kept)).toBe('seed=0&world=2');
  });

  it('understands the names of the Config', () => {
    expect(parsePermalink('#mode=dataParallel&worldSize=2').config).toMatchObject({
      mode: 'dataParallel',
      worldSize: 2,
    });
    expect(parsePermalink('#paramGroups=!((match:bias,lr:0))').config.paramGroups).toHaveLength(1);
  });

  it('the name of a hook or a schedule stands for it with its defaults; another one is answered with the names', () => {
    expect(parsePermalink('#hook=powerSGD').config.ddp.commHook).toMatchObject({ type: 'powerSGD' });
    const { config, notices } = parsePermalink('#sched=steps&hook=powersgd');
    expect(config.ddp.commHook).toEqual({ type: 'allreduce' });
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^The link says sched=steps \(scheduler\): must be one of StepLR, /),
      expect.stringMatching(/^The link says hook=powersgd \(ddp\.commHook\): must be one of allreduce, .*powerSGD, /),
    ]);
  });
});
