/**
 * The two nets that the bench trains and the data they see, made by a fixed formula so that every contender gets the same
 * bytes. The rows are noise: what is measured is speed, what is compared is the loss after the same steps.
 */
import { writeNpy } from '../src/data/readers/npy';
import type { ConfigInput } from '../src/protocol/config';
import type { Files } from '../src/protocol/session';

export interface Workload {
  readonly id: 'small' | 'large';
  readonly title: string;
  /** Sizes of the layers, inputs first. */
  readonly sizes: readonly number[];
  readonly activation: 'tanh' | 'relu';
  readonly loss: 'mse' | 'crossEntropy';
  readonly batch: number;
  /** The data set holds that many batches, used in turn. */
  readonly batches: number;
  readonly learningRate: number;
}

export const WORKLOADS: readonly Workload[] = [
  {
    id: 'small',
    title: '2-8-8-8-1, tanh, MSE, batch 10, SGD',
    sizes: [2, 8, 8, 8, 1],
    activation: 'tanh',
    loss: 'mse',
    batch: 10,
    batches: 4,
    learningRate: 0.1,
  },
  {
    id: 'large',
    title: '784-256-128-10, ReLU, cross-entropy, batch 128, SGD',
    sizes: [784, 256, 128, 10],
    activation: 'relu',
    loss: 'crossEntropy',
    batch: 128,
    batches: 4,
    learningRate: 0.1,
  },
];

export interface Data {
  /** Rows x inputs. */
  readonly inputs: Float32Array<ArrayBuffer>;
  /** MSE: rows x outputs. */
  readonly targets: Float32Array<ArrayBuffer>;
  /** Cross-entropy: a class a row. */
  readonly classes: Int32Array<ArrayBuffer>;
}

export function makeData(work: Workload): Data {
  const rows = work.batch * work.batches;
  const width = work.sizes[0] ?? 1;
  const outputs = work.sizes.at(-1) ?? 1;
  let state = 12345;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return {
    inputs: Float32Array.from({ length: rows * width }, uniform),
    targets: Float32Array.from({ length: rows * outputs }, uniform),
    classes: Int32Array.from({ length: rows }, () => Math.floor(((uniform() + 1) / 2) * outputs)),
  };
}

export interface LockstepRun {
  readonly config: ConfigInput;
  readonly files: Files;
}

/** The same training as a Lockstep configuration. */
export function lockstepRun(work: Workload, mode: 'single' | 'ddp', worldSize: number): LockstepRun {
  const data = makeData(work);
  const rows = work.batch * work.batches;
  const layers = work.sizes
    .slice(1)
    .flatMap((out, index) => [
      { type: 'Linear' as const, in: work.sizes[index] ?? 1, out },
      ...(index < work.sizes.length - 2
        ? [{ type: work.activation === 'tanh' ? ('Tanh' as const) : ('ReLU' as const) }]
        : []),
    ]);
  const isClasses = work.loss === 'crossEntropy';
  return {
    config: {
      model: { layers },
      loss: { type: isClasses ? 'CrossEntropyLoss' : 'MSELoss' },
      optimizer: { type: 'SGD', lr: work.learningRate },
      data: { type: 'npy', inputs: 'inputs.npy', targets: 'targets.npy' },
      batchSize: work.batch,
      shuffle: false,
      seed: 0,
      mode,
      worldSize,
      placement: 'shared',
      device: 'webgpu',
      compareSingle: false,
    },
    files: {
      'inputs.npy': writeNpy(data.inputs, [rows, work.sizes[0] ?? 1]),
      'targets.npy': isClasses
        ? writeNpy(data.classes, [rows])
        : writeNpy(data.targets, [rows, work.sizes.at(-1) ?? 1]),
    },
  };
}
