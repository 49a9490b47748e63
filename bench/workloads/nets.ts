/** The nets that are trained, and their data: random values in the shapes of real data. */
import { writeNpy } from '../../src/data/readers/npy';
import type { ConfigInput } from '../../src/protocol/config';
import { cnnLayers, gptLayers, mlpLayers } from '../../src/protocol/presets';
import type { Files } from '../../src/protocol/session';
import { noise, type TrainingWork } from './workload';

/** A data set has this number of batches, used in turn. */
const BATCHES = 4;
const SGD = { type: 'SGD', lr: 0.1 } as const;
const ADAM = { type: 'Adam', lr: 0.001 } as const;
const CONTEXT = 64;
const VOCABULARY = 65;

/** Random rows as .npy, with random targets or random classes. */
function rows(count: number, shape: readonly number[], target: { classes: number } | { width: number }) {
  const next = noise();
  const width = shape.reduce((n, d) => n * d, 1);
  const inputs = Float32Array.from({ length: count * width }, next);
  const classOf = (classes: number) => () => Math.floor(((next() + 1) / 2) * classes);
  const targets =
    'classes' in target
      ? writeNpy(Int32Array.from({ length: count }, classOf(target.classes)), [count])
      : writeNpy(Float32Array.from({ length: count * target.width }, next), [count, target.width]);
  return { 'inputs.npy': writeNpy(inputs, [count, ...shape]), 'targets.npy': targets } satisfies Files;
}

const npy = { type: 'npy', inputs: 'inputs.npy', targets: 'targets.npy' } as const;
const common = { shuffle: false, seed: 0, memoryBudgetMb: 4096 } as const;

function small(sizes: readonly number[]): TrainingWork {
  const config: ConfigInput = {
    ...common,
    model: { layers: mlpLayers(sizes, 'Tanh') },
    loss: { type: 'MSELoss' },
    optimizer: SGD,
    data: npy,
    batchSize: 10,
  };
  return {
    kind: 'training',
    id: `small-${sizes.join('-')}`,
    title: `${sizes.join('-')}, batch 10, SGD`,
    also: ['ddp', 'cpu', 'tensorflow-cpu'],
    config,
    files: rows(10 * BATCHES, [sizes[0] ?? 1], { width: sizes.at(-1) ?? 1 }),
    checkedSteps: 8,
  };
}

function mlp(name: 'SGD' | 'Adam'): TrainingWork {
  const config: ConfigInput = {
    ...common,
    model: { layers: mlpLayers([784, 256, 128, 10], 'ReLU') },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: name === 'SGD' ? SGD : ADAM,
    data: npy,
    batchSize: 128,
  };
  return {
    kind: 'training',
    id: `mlp-784-${name.toLowerCase()}`,
    title: `MLP 784-256-128-10, batch 128, ${name}`,
    also: ['ddp', 'sharded', 'tensor', 'cpu', 'cpu-fma', 'cpu-threads', 'tensorflow-cpu'],
    config,
    files: rows(128 * BATCHES, [784], { classes: 10 }),
    checkedSteps: 8,
  };
}

const cnn: TrainingWork = {
  kind: 'training',
  id: 'cnn',
  title: 'CNN 28 x 28, batch 64, SGD',
  also: ['cpu', 'cpu-fma', 'cpu-threads', 'tensorflow-cpu'],
  config: {
    ...common,
    model: { layers: cnnLayers(28, [8, 16], 10) },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'SGD', lr: 0.05 },
    data: npy,
    batchSize: 64,
  },
  files: rows(64 * BATCHES, [1, 28, 28], { classes: 10 }),
  checkedSteps: 4,
};

/** Each character of the vocabulary once, then random characters. */
function randomText(length: number): string {
  const next = noise();
  const character = (id: number) => String.fromCharCode(48 + id);
  return Array.from({ length }, (_, i) =>
    character(i < VOCABULARY ? i : Math.floor(((next() + 1) / 2) * VOCABULARY)),
  ).join('');
}

const gpt: TrainingWork = {
  kind: 'training',
  id: 'gpt',
  title: 'GPT 4 layers, width 128, context 64, batch 16, Adam',
  also: ['ddp', 'sharded', 'tensor', 'cpu', 'cpu-fma', 'cpu-threads'],
  config: {
    ...common,
    model: { layers: gptLayers({ vocab: VOCABULARY, context: CONTEXT, width: 128, heads: 4, layers: 4 }) },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: ADAM,
    data: { type: 'text', context: CONTEXT, text: randomText(16 * BATCHES * CONTEXT + 1) },
    batchSize: 16,
  },
  files: {},
  checkedSteps: 3,
};

export const NETS: readonly TrainingWork[] = [
  small([2, 4, 2, 1]),
  small([2, 8, 8, 8, 1]),
  mlp('SGD'),
  mlp('Adam'),
  cnn,
  gpt,
];
