/**
 * The settings (or the script over process groups) of each exhibit's mistake and cure. Separate from the texts, so that
 * a link to an exhibit loads only these. Read by the permalink, the museum and its tests.
 */
import type { ConfigInput } from '../protocol/config';

/** Settings of a training run. */
interface RunMistake {
  readonly kind: 'run';
  readonly wrong: ConfigInput;
  readonly right: ConfigInput;
  /** The number of steps after which the effect is visible. */
  readonly steps: number;
}

/** A function in scripts.ts that every rank runs on the process group. */
interface ScriptMistake {
  readonly kind: 'script';
  readonly worldSize: number;
  /** The run on the page meanwhile: of the same kind, without the mistake. Absent: the earlier run stays. */
  readonly beside?: ConfigInput;
}

const net = (hidden: number) =>
  ({
    layers: [
      { type: 'Linear', in: 2, out: hidden },
      { type: 'Tanh' },
      { type: 'Linear', in: hidden, out: hidden },
      { type: 'Tanh' },
      { type: 'Linear', in: hidden, out: 1 },
    ],
  }) satisfies ConfigInput['model'];
const NET = net(8);
const WITH_OLD_HEAD: ConfigInput['model'] = {
  layers: [...NET.layers, { type: 'Unused', layers: [{ type: 'Linear', in: 8, out: 1 }] }],
};
const RUN = {
  mode: 'ddp',
  worldSize: 4,
  model: NET,
  data: { type: 'spiral', samples: 256 },
  batchSize: 32,
  optimizer: { type: 'SGD', lr: 0.1 },
} as const satisfies ConfigInput;

/** Two ranks that share layers, on a machine slow enough for this net; both have the whole head. */
const tensor = (plan: NonNullable<ConfigInput['tensor']>['plan']): ConfigInput => ({
  ...RUN,
  mode: 'tensor',
  worldSize: 2,
  model: net(32),
  hardware: 'transputer',
  tensor: { plan },
});

const TENSOR_GROUP = tensor({ '0': 'ColwiseParallel', '2': 'RowwiseParallel' });

const sharded = (worldSize: number, rest: ConfigInput = {}): ConfigInput => ({
  ...RUN,
  mode: 'sharded',
  worldSize,
  model: net(32),
  hardware: 'transputer',
  ...rest,
});

/** A chain of sigmoids: each makes the gradient at least four times smaller. */
const DEEP_SIGMOIDS: ConfigInput['model'] = {
  layers: [
    ...[2, 8, 8, 8, 8, 8, 8].flatMap((width) => [
      { type: 'Linear', in: width, out: 8 } as const,
      { type: 'Sigmoid' } as const,
    ]),
    { type: 'Linear', in: 8, out: 1 },
  ],
};

const inHalf = (rest: ConfigInput): ConfigInput => ({
  ...RUN,
  worldSize: 2,
  precision: 'autocast-fp16',
  data: { type: 'circle', samples: 400 },
  batchSize: 200,
  ...rest,
});
const VANISHING: ConfigInput = { model: DEEP_SIGMOIDS, optimizer: { type: 'Adam', lr: 0.02, eps: 1e-12 } };
const CLIPPED: ConfigInput = { clipGradNorm: 1 };

const GAUSS = { type: 'gauss', samples: 256 } as const;

const run = (ddp: ConfigInput['ddp'], rest: ConfigInput = {}): ConfigInput => ({
  ...RUN,
  ...rest,
  // Several buckets, so that the timeline shows more than one.
  ddp: { bucketCapMb: 0.25 / 1024, ...ddp },
});

export const MISTAKES = {
  'set-epoch': { kind: 'run', wrong: run({ setEpoch: false }), right: run({}), steps: 24 },
  seeds: {
    kind: 'run',
    wrong: run({ rankSeeds: 'beforeModel', initSync: false }),
    right: run({ rankSeeds: 'beforeModel' }),
    steps: 20,
  },
  'sum-loss': {
    kind: 'run',
    wrong: run({}, { loss: { type: 'BCEWithLogitsLoss', reduction: 'sum' }, optimizer: { type: 'SGD', lr: 0.003 } }),
    right: run({}),
    steps: 20,
  },
  'no-sync': {
    kind: 'run',
    wrong: run({ noSync: 'backward' }, { accumulate: 4, batchSize: 64 }),
    right: run({}, { accumulate: 4, batchSize: 64 }),
    steps: 4,
  },
  unused: {
    kind: 'run',
    wrong: run({}, { model: WITH_OLD_HEAD }),
    right: run({ findUnusedParameters: true }, { model: WITH_OLD_HEAD }),
    steps: 4,
  },
  order: { kind: 'script', worldSize: 3 },
  'rank0-eval': { kind: 'script', worldSize: 3 },
  uneven: {
    kind: 'run',
    wrong: run({ samplesPerRank: [40, 32, 32, 32] }),
    right: run({ samplesPerRank: [40, 32, 32, 32], join: true }),
    steps: 10,
  },
  'last-batch': {
    kind: 'run',
    wrong: run({ samplesPerRank: [19, 17] }, { worldSize: 2, batchSize: 8, data: { type: 'spiral', samples: 36 } }),
    right: run({}, { worldSize: 2, batchSize: 8, data: { type: 'spiral', samples: 36 } }),
    steps: 10,
  },
  'every-rank-saves': { kind: 'script', worldSize: 3 },
  'learning-rate': {
    kind: 'run',
    wrong: run({}, { data: GAUSS, optimizer: { type: 'SGD', lr: 0.05 } }),
    right: run({}, { data: GAUSS, optimizer: { type: 'SGD', lr: 0.2 } }),
    steps: 80,
  },
  'seed-before-model': {
    kind: 'run',
    wrong: run({ rankSeeds: 'beforeModel' }),
    right: run({ rankSeeds: 'afterModel' }),
    steps: 10,
  },
  'wrong-name': {
    kind: 'run',
    wrong: tensor({ 'net.0': 'ColwiseParallel', 'net.2': 'RowwiseParallel' }),
    right: TENSOR_GROUP,
    steps: 10,
  },
  'own-batches': { kind: 'script', worldSize: 2, beside: TENSOR_GROUP },
  'rank0-logs': { kind: 'script', worldSize: 2, beside: TENSOR_GROUP },
  'bias-twice': { kind: 'script', worldSize: 2, beside: TENSOR_GROUP },
  'optimizer-first': { kind: 'script', worldSize: 2, beside: sharded(2) },
  'own-norm': { kind: 'script', worldSize: 2, beside: sharded(2, { clipGradNorm: 1 }) },
  'sync-every-pass': {
    kind: 'run',
    wrong: sharded(4, { accumulate: 4, batchSize: 64 }),
    right: sharded(4, { accumulate: 4, batchSize: 64, sharded: { syncEveryPass: false } }),
    steps: 4,
  },
  'rank0-shard': { kind: 'script', worldSize: 2, beside: sharded(2) },
  'half-unscaled': {
    kind: 'run',
    wrong: inHalf(VANISHING),
    right: inHalf({ ...VANISHING, gradScaler: { enabled: true } }),
    steps: 300,
  },
  'clip-scaled': {
    kind: 'run',
    wrong: inHalf({ ...CLIPPED, gradScaler: { enabled: true, unscaleBeforeClip: false } }),
    right: inHalf({ ...CLIPPED, gradScaler: { enabled: true } }),
    steps: 60,
  },
} as const satisfies Readonly<Record<string, RunMistake | ScriptMistake>>;

/** The run on the page: the mistake or its cure, or the run beside a script; undefined: the earlier run stays. */
export function exhibitConfig(id: ExhibitId, cured: boolean): ConfigInput | undefined {
  const mistake: RunMistake | ScriptMistake = MISTAKES[id];
  if (mistake.kind === 'script') return mistake.beside;
  return cured ? mistake.right : mistake.wrong;
}

export type ExhibitId = keyof typeof MISTAKES;
export const EXHIBIT_IDS = Object.keys(MISTAKES) as readonly ExhibitId[];
