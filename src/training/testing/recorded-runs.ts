/** The runs of fixtures/runs: what real PyTorch printed and held, and the Config that says the same. */
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import cnn from '../fixtures/runs/cnn_bn.json';
import gpt from '../fixtures/runs/gpt.json';
import dropout from '../fixtures/runs/mlp_dropout.json';
import mlp784 from '../fixtures/runs/mlp784.json';
import simple from '../fixtures/runs/simple.json';
import onecycle from '../fixtures/runs/tanh_clip_onecycle.json';
import tanh from '../fixtures/runs/tanh_mlp.json';

export interface Bars {
  readonly loss_rel_first10: number;
  readonly loss_rel_all: number;
  readonly first_grad_maxrel: number;
  readonly final_param_maxabs: number;
}

/** A tensor in whole, or some of its elements where it is large. */
export type Stored =
  | { readonly shape: readonly number[]; readonly dtype: string; readonly b64: string }
  | {
      readonly shape: readonly number[];
      readonly absmax: number;
      readonly idx: readonly number[];
      readonly val: readonly number[];
    };

export interface RecordedRun {
  /** One entry per micro-batch. */
  readonly losses: readonly number[];
  readonly first_step_grads: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
  readonly final_buffers?: Readonly<Record<string, Stored>>;
  readonly eval_loss_full_data?: number;
  readonly lrs?: readonly number[];
  /** Before clipping. */
  readonly grad_norms?: readonly number[];
  /** Micro-batches a step. */
  readonly accum?: number;
}

export interface DdpMode {
  readonly world_size: number;
  readonly batch_per_rank: number;
  readonly accum?: number;
  readonly shuffle?: boolean;
  readonly drop_last?: boolean;
  readonly sampler_seed?: number;
  /** Batches of consecutive rows that each rank has, `epochs` times over within one join(). */
  readonly join_counts?: readonly number[];
  readonly epochs?: number;
  readonly divide_by_initial_world_size?: boolean;
}

export interface RecordedDdp {
  readonly mode: DdpMode;
  readonly per_rank_losses: readonly (readonly number[])[];
  readonly first_step_averaged_grads?: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
}

export interface Recorded {
  readonly name: string;
  readonly config: ConfigInput;
  /** Layers on the first of two devices. */
  readonly split: number | undefined;
  readonly bars: Readonly<Record<string, Bars>>;
  /**
   * Parameters whose true gradient is 0, so that they hold rounding only: a convolution's bias right before batch norm.
   */
  readonly noise: readonly string[];
  readonly single: RecordedRun;
  readonly accum?: RecordedRun;
  readonly ddp: readonly RecordedDdp[];
}

export const tanhLayers: LayerInput[] = [
  { type: 'Linear', in: 2, out: 8 },
  { type: 'Tanh' },
  { type: 'Linear', in: 8, out: 8 },
  { type: 'Tanh' },
  { type: 'Linear', in: 8, out: 1 },
];

const cnnLayers = ({ c1, c2, size, out }: (typeof cnn)['spec']['model']): LayerInput[] => [
  { type: 'Conv2d', in: 1, out: c1, kernel: 3, padding: 1 },
  { type: 'BatchNorm2d', features: c1 },
  { type: 'ReLU' },
  { type: 'MaxPool2d', kernel: 2 },
  { type: 'Conv2d', in: c1, out: c2, kernel: 3, padding: 1 },
  { type: 'BatchNorm2d', features: c2 },
  { type: 'ReLU' },
  { type: 'MaxPool2d', kernel: 2 },
  { type: 'Flatten' },
  { type: 'Linear', in: c2 * (size / 4) ** 2, out },
];

export const gptLayers = ({ V, T, D, H, L }: Omit<(typeof gpt)['spec']['model'], 'kind'>): LayerInput[] => [
  { type: 'TokenEmbedding', vocab: V, context: T, width: D, name: '' },
  ...Array.from(
    { length: L },
    (_, i): LayerInput => ({ type: 'TransformerBlock', width: D, heads: H, name: `blocks.${i}` }),
  ),
  { type: 'LayerNorm', features: D, name: 'lnf' },
  { type: 'Linear', in: D, out: V, bias: false, name: 'head' },
];

export const tensors = (stored: Readonly<Record<string, Stored>>): ReadonlyMap<string, Stored> =>
  new Map(Object.entries(stored));

interface RecordedSpec {
  readonly seed: number;
}

/** Settings of the nets that were recorded in several modes, without their batches. */
export const tanhRun = ({
  model,
  data,
  seed,
}: RecordedSpec & {
  readonly model: { readonly dims: readonly number[] };
  readonly data: { readonly n: number };
}): ConfigInput => ({
  model: { layers: mlpLayers(model.dims, 'Tanh') },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'xor', samples: data.n },
  seed,
});

export const mlp784Run = ({ data, seed }: RecordedSpec & { readonly data: { readonly n: number } }): ConfigInput => ({
  model: { layers: [{ type: 'Linear', in: 784, out: 128 }, { type: 'ReLU' }, { type: 'Linear', in: 128, out: 10 }] },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.1 },
  data: { type: 'prototypes', samples: data.n, classes: 10, features: 784 },
  seed,
});

export const gptRun = ({
  model,
  data,
  seed,
}: RecordedSpec & {
  readonly model: Parameters<typeof gptLayers>[0];
  readonly data: { readonly text: string; readonly T: number };
}): ConfigInput => ({
  model: { layers: gptLayers(model) },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'AdamW', lr: 0.001 },
  data: { type: 'text', text: data.text, context: data.T },
  seed,
});

const recorded = (
  name: string,
  fixture: unknown,
  split: number | undefined,
  config: ConfigInput,
  noise: readonly string[] = [],
): Recorded => {
  const { bars, single, accum, ddp } = fixture as Omit<Recorded, 'name' | 'config' | 'split' | 'noise'>;
  return { name, config, split, noise, bars, single, ddp, ...(accum ? { accum } : {}) };
};

export const RECORDED: readonly Recorded[] = [
  recorded('simple', simple, undefined, {
    model: { layers: [{ type: 'Linear', in: 10, out: 1 }] },
    loss: { type: 'MSELoss' },
    optimizer: { type: 'Adam', lr: 0.001 },
    data: { type: 'randomRegression', samples: 1000, in: 10, out: 1 },
    batchSize: 32,
    shuffle: false,
    seed: simple.spec.seed,
  }),
  recorded('tanh_mlp', tanh, 2, {
    model: { layers: tanhLayers },
    loss: { type: 'BCEWithLogitsLoss' },
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    data: { type: 'xor', samples: 250 },
    batchSize: 32,
    seed: tanh.spec.seed,
  }),
  recorded('mlp784', mlp784, 2, {
    model: { layers: [{ type: 'Linear', in: 784, out: 128 }, { type: 'ReLU' }, { type: 'Linear', in: 128, out: 10 }] },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'SGD', lr: 0.1 },
    data: { type: 'prototypes', samples: 1000, classes: 10, features: 784 },
    batchSize: 64,
    seed: mlp784.spec.seed,
  }),
  recorded('mlp_dropout', dropout, undefined, {
    model: {
      layers: [
        { type: 'Linear', in: 20, out: 32 },
        { type: 'ReLU' },
        { type: 'Dropout', p: dropout.spec.model.p },
        { type: 'Linear', in: 32, out: 5 },
      ],
    },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'Adam', lr: 0.005 },
    data: { type: 'prototypes', samples: 200, classes: 5, features: 20 },
    batchSize: 25,
    seed: dropout.spec.seed,
  }),
  recorded(
    'cnn_bn',
    cnn,
    4,
    {
      model: { layers: cnnLayers(cnn.spec.model) },
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
      data: { type: 'prototypes', samples: 500, classes: 10, features: 144, size: 12 },
      batchSize: 32,
      seed: cnn.spec.seed,
    },
    ['0.bias', '4.bias'],
  ),
  recorded('gpt', gpt, 2, {
    model: { layers: gptLayers(gpt.spec.model) },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'AdamW', lr: 0.001 },
    data: { type: 'text', text: gpt.spec.data.text, context: gpt.spec.data.T },
    batchSize: 8,
    seed: gpt.spec.seed,
  }),
  recorded('tanh_clip_onecycle', onecycle, undefined, {
    model: { layers: tanhLayers },
    loss: { type: 'BCEWithLogitsLoss' },
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    scheduler: { type: 'OneCycleLR', maxLr: 0.5, totalSteps: 60 },
    clipGradNorm: onecycle.spec.clip,
    data: { type: 'xor', samples: 128 },
    batchSize: 32,
    seed: onecycle.spec.seed,
  }),
];
