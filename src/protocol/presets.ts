/**
 * Ready-made runs: a model with its usual data, loss and optimiser. The page and the command line offer them by name;
 * benchmarks and the soak run use them all. Each is a plain ConfigInput, so every setting can be changed afterwards.
 */
import type { ConfigInput } from './config';
import type { LayerInput } from './config/layers';
import { OWN_TEXT_VOCABULARY } from './config/rule-made';

export interface GptSizes {
  readonly vocab: number;
  readonly context: number;
  readonly width: number;
  readonly heads: number;
  readonly layers: number;
}

/** Embeddings, decoder blocks, a last norm and a head without bias, named as in most GPT scripts. */
export function gptLayers({ vocab, context, width, heads, layers }: GptSizes): LayerInput[] {
  return [
    { type: 'TokenEmbedding', vocab, context, width, name: '' },
    ...Array.from(
      { length: layers },
      (_, i): LayerInput => ({ type: 'TransformerBlock', width, heads, name: `blocks.${i}` }),
    ),
    { type: 'LayerNorm', features: width, name: 'ln_f' },
    { type: 'Linear', in: width, out: vocab, bias: false, name: 'head' },
  ];
}

/** Linear layers with an activation between them: [2, 8, 8, 1]. */
export function mlpLayers(sizes: readonly number[], activation: 'ReLU' | 'Tanh'): LayerInput[] {
  return sizes.slice(1).flatMap((out, i): LayerInput[] => {
    const linear: LayerInput = { type: 'Linear', in: sizes[i] ?? 1, out };
    return i < sizes.length - 2 ? [linear, { type: activation }] : [linear];
  });
}

/** Two convolutions with batch norm over images [1, size, size]; size a multiple of 4. */
export function cnnLayers(size: number, channels: readonly [number, number], classes: number): LayerInput[] {
  const block = (into: number, out: number): LayerInput[] => [
    { type: 'Conv2d', in: into, out, kernel: 3, padding: 1 },
    { type: 'BatchNorm2d', features: out },
    { type: 'ReLU' },
    { type: 'MaxPool2d', kernel: 2 },
  ];
  const [first, second] = channels;
  return [
    ...block(1, first),
    ...block(first, second),
    { type: 'Flatten' },
    { type: 'Linear', in: second * (size / 4) ** 2, out: classes },
  ];
}

export interface Preset {
  readonly title: string;
  /** One sentence: what it is and what it shows. */
  readonly about: string;
  readonly config: ConfigInput;
}

export const PRESETS = {
  mlp: {
    title: 'MLP',
    about: 'Two hidden layers on a spiral: small enough to see every weight.',
    config: {
      model: { layers: mlpLayers([2, 8, 8, 1], 'Tanh') },
      loss: { type: 'BCEWithLogitsLoss' },
      optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
      data: { type: 'spiral' },
      batchSize: 32,
    },
  },
  deepMlp: {
    title: 'Deep MLP',
    about: 'Eight small Linear layers: deep enough for a pipeline of four ranks with two stages each.',
    config: {
      model: { layers: mlpLayers([2, 8, 8, 8, 8, 8, 8, 8, 1], 'Tanh') },
      loss: { type: 'BCEWithLogitsLoss' },
      optimizer: { type: 'Adam', lr: 0.01 },
      data: { type: 'circle' },
      batchSize: 32,
    },
  },
  wideMlp: {
    title: 'Wide MLP',
    about: 'One fat layer holds nearly all parameters: what DDP has to move, and what tensor parallelism would cut.',
    config: {
      model: { layers: [{ type: 'Flatten' }, ...mlpLayers([784, 1024, 10], 'ReLU')] },
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'SGD', lr: 0.1 },
      data: { type: 'digits' },
      batchSize: 64,
    },
  },
  cnn: {
    title: 'CNN with BatchNorm',
    about: 'Two convolutions on drawn digits: running statistics are buffers, which every mode treats in its own way.',
    config: {
      model: { layers: cnnLayers(28, [8, 16], 10) },
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'SGD', lr: 0.01, momentum: 0.9 },
      data: { type: 'digits' },
      batchSize: 64,
    },
  },
  gpt: {
    title: 'GPT',
    about: 'A decoder-only transformer that learns to write characters: blocks of equal size, made for pipelines.',
    config: {
      model: { layers: gptLayers({ vocab: OWN_TEXT_VOCABULARY, context: 32, width: 64, heads: 4, layers: 2 }) },
      loss: { type: 'CrossEntropyLoss' },
      optimizer: { type: 'AdamW', lr: 0.003 },
      paramGroups: [
        { match: '*.bias', weightDecay: 0 },
        { match: '*ln*', weightDecay: 0 },
      ],
      clipGradNorm: 1,
      data: { type: 'text', context: 32 },
      batchSize: 16,
    },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
