/** Training runs recorded from real PyTorch as Configs with what they must come to. Used by the parity tests on the CPU and on the GPU. */

import { writeNpy } from '../../data/readers/npy';
import { initialParameters } from '../../nn/model';
import type { ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { decodeF32, type StoredTensor } from '../../tensor/fixtures/decode';
import { Generator } from '../../tensor/generator';
import dataParallelFixture from '../fixtures/dataparallel.json';
import simpleFixture from '../fixtures/simple.json';
import tanhFixture from '../fixtures/tanh_mlp.json';

export interface Bars {
  readonly loss_rel_first10: number;
  readonly loss_rel_all: number;
  readonly first_grad_maxrel: number;
  readonly final_param_maxabs: number;
}

export interface ParityCase {
  readonly name: string;
  readonly config: ConfigInput;
  readonly files: Files;
  /** Losses of each rank. */
  readonly losses: readonly (readonly number[])[];
  readonly firstGradients: ReadonlyMap<string, Float32Array>;
  readonly finalParameters: ReadonlyMap<string, Float32Array>;
  readonly bars: Bars;
}

type Stored = Readonly<Record<string, StoredTensor>>;
/** PyTorch's bare nn.Linear has no module index; ours is always a Sequential. */
const tensors = (stored: Stored): ReadonlyMap<string, Float32Array> =>
  new Map(Object.entries(stored).map(([name, t]) => [/^\d/.test(name) ? name : `0.${name}`, decodeF32(t)]));

const simple: ConfigInput = {
  model: { layers: [{ type: 'Linear', in: 10, out: 1 }] },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'Adam', lr: 0.001 },
  data: { type: 'randomRegression', samples: 1000, in: 10, out: 1 },
  batchSize: 32,
  shuffle: false,
  seed: 0,
};

const tanh: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 1 },
    ],
  },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'xor', samples: 250 },
  batchSize: 32,
  seed: 1,
};

interface DdpMode {
  readonly world_size: number;
  readonly batch_per_rank: number;
  readonly shuffle?: boolean;
  readonly drop_last?: boolean;
  readonly sampler_seed?: number;
}

function runCases(name: string, base: ConfigInput, fixture: typeof simpleFixture | typeof tanhFixture): ParityCase[] {
  const bars = fixture.bars as unknown as Readonly<Record<string, Bars>>;
  const barOf = (key: string): Bars => {
    const bar = bars[key];
    if (!bar) throw new Error(`no bar ${key}`);
    return bar;
  };
  const single: Omit<ParityCase, 'name' | 'config'> = {
    files: {},
    losses: [fixture.single.losses],
    firstGradients: tensors(fixture.single.first_step_grads as unknown as Stored),
    finalParameters: tensors(fixture.single.final_params as unknown as Stored),
    bars: barOf('single'),
  };
  const twoStages: ParityCase = {
    ...single,
    name: `${name} model parallel`,
    config: { ...base, mode: 'modelParallel', worldSize: 2, modelParallel: { split: [2, 3] } },
  };
  const linears = base.model?.layers.filter((l) => l.type === 'Linear').length ?? 0;
  return [
    { ...single, name: `${name} single`, config: { ...base, mode: 'single' } },
    ...(linears > 1 ? [twoStages] : []),
    { ...single, name: `${name} DataParallel, 4 devices`, config: { ...base, mode: 'dataParallel', worldSize: 4 } },
    ...fixture.ddp.map((entry): ParityCase => {
      const mode = entry.mode as DdpMode;
      const key = Object.entries(mode)
        .map(([k, v]) => `${k}${v === true ? 'True' : v === false ? 'False' : v}`)
        .join('_');
      return {
        name: `${name} DDP ${key}`,
        config: {
          ...base,
          mode: 'ddp',
          worldSize: mode.world_size,
          batchSize: mode.world_size * mode.batch_per_rank,
          shuffle: mode.shuffle ?? true,
          dropLast: mode.drop_last ?? false,
          ddp: { samplerSeed: mode.sampler_seed ?? 0 },
        },
        files: {},
        losses: entry.per_rank_losses,
        firstGradients: tensors(entry.first_step_averaged_grads as unknown as Stored),
        finalParameters: tensors(entry.final_params as unknown as Stored),
        bars: barOf(`ddp_${key}`),
      };
    }),
  ];
}

/** torch draws the model first here, then the data: the data comes as .npy files, which draw nothing. */
function dataParallelCase(): ParityCase {
  const { spec, losses, first_step, final_params } = dataParallelFixture.case;
  const layers = [
    { type: 'Linear', in: 6, out: 8, bias: true },
    { type: 'ReLU' },
    { type: 'Linear', in: 8, out: 3, bias: true },
  ] as const;
  const generator = new Generator(spec.seed);
  initialParameters([...layers], generator);
  const inputs = generator.rand(spec.n * 6);
  const targets = Int32Array.from(generator.randint(0, spec.classes, spec.n));
  return {
    name: 'DataParallel, 10 samples on 4 devices in chunks of 3, 3, 3, 1',
    config: {
      model: { layers: [...layers] },
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'SGD', lr: spec.lr },
      data: { type: 'npy', inputs: 'x.npy', targets: 'y.npy' },
      batchSize: spec.batch,
      shuffle: false,
      seed: spec.seed,
      mode: 'dataParallel',
      worldSize: spec.devices,
    },
    files: { 'x.npy': writeNpy(inputs, [spec.n, 6]), 'y.npy': writeNpy(targets, [spec.n]) },
    losses: [losses],
    firstGradients: tensors(first_step.grads as unknown as Stored),
    finalParameters: tensors(final_params as unknown as Stored),
    bars: { loss_rel_first10: 1e-5, loss_rel_all: 1e-5, first_grad_maxrel: 1e-5, final_param_maxabs: 1e-5 },
  };
}

export const PARITY_CASES: readonly ParityCase[] = [
  ...runCases('simple', simple, simpleFixture),
  ...runCases('tanh_mlp', tanh, tanhFixture),
  dataParallelCase(),
];
