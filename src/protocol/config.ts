/**
 * The Config: one validated object that makes a run. The URL, the page, the command line and the lessons each make one;
 * `session` is its only reader. This file is the schema with its defaults and limits; the JSON Schema that
 * `lockstep schema` prints is generated from it. Names are PyTorch's (camelCase); units stand in names.
 */
import * as v from 'valibot';

export const LIMITS = {
  worldSize: 8,
  layers: 32,
  units: 8192,
  batchSize: 8192,
  samples: 100_000,
} as const;

const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
const real = (min: number, max: number) => v.pipe(v.number(), v.finite(), v.minValue(min), v.maxValue(max));

export const layerSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('Linear'),
    in: count(1, LIMITS.units),
    out: count(1, LIMITS.units),
    bias: v.optional(v.boolean(), true),
  }),
  v.strictObject({ type: v.literal('ReLU') }),
  v.strictObject({ type: v.literal('Tanh') }),
  v.strictObject({ type: v.literal('Sigmoid') }),
  v.strictObject({ type: v.literal('GELU'), approximate: v.optional(v.picklist(['none', 'tanh']), 'none') }),
  v.strictObject({ type: v.literal('Softmax') }),
  v.strictObject({ type: v.literal('LogSoftmax') }),
]);

export const lossSchema = v.strictObject({
  type: v.picklist(['MSELoss', 'CrossEntropyLoss', 'BCEWithLogitsLoss']),
  reduction: v.optional(v.picklist(['mean', 'sum']), 'mean'),
});

const adamFields = (weightDecay: number) => ({
  lr: v.optional(real(0, 100), 0.001),
  beta1: v.optional(real(0, 0.999999), 0.9),
  beta2: v.optional(real(0, 0.999999), 0.999),
  eps: v.optional(real(0, 1), 1e-8),
  weightDecay: v.optional(real(0, 10), weightDecay),
});

export const optimizerSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('SGD'),
    lr: v.optional(real(0, 100), 0.1),
    momentum: v.optional(real(0, 1), 0),
    dampening: v.optional(real(0, 1), 0),
    weightDecay: v.optional(real(0, 10), 0),
    nesterov: v.optional(v.boolean(), false),
  }),
  v.strictObject({ type: v.literal('Adam'), ...adamFields(0) }),
  v.strictObject({ type: v.literal('AdamW'), ...adamFields(0.01) }),
]);

const toyFields = {
  samples: v.optional(count(2, LIMITS.samples), 500),
  noise: v.optional(real(0, 1), 0),
  /** Fraction of rows kept out of training, drawn as `random_split` draws it. */
  testFraction: v.optional(real(0, 0.9), 0),
};

export const dataSchema = v.variant('type', [
  v.strictObject({ type: v.literal('circle'), ...toyFields }),
  v.strictObject({ type: v.literal('xor'), ...toyFields }),
  v.strictObject({ type: v.literal('gauss'), ...toyFields }),
  v.strictObject({ type: v.literal('spiral'), ...toyFields }),
  v.strictObject({ type: v.literal('plane'), ...toyFields }),
  /** `X = torch.randn(samples, in); y = torch.randn(samples, out)`: the random regression of the PyTorch tutorials. */
  v.strictObject({
    type: v.literal('randomRegression'),
    samples: v.optional(count(2, LIMITS.samples), 1000),
    in: v.optional(count(1, LIMITS.units), 10),
    out: v.optional(count(1, LIMITS.units), 1),
    testFraction: v.optional(real(0, 0.9), 0),
  }),
  v.strictObject({
    type: v.literal('csv'),
    /** File name (page) or path relative to the configuration file (command line). */
    file: v.string(),
    /** Column name or 0-based index of the target; the last column when absent. */
    target: v.optional(v.union([v.string(), count(0, LIMITS.units)])),
    header: v.optional(v.picklist(['auto', 'yes', 'no']), 'auto'),
    testFraction: v.optional(real(0, 0.9), 0),
  }),
  v.strictObject({
    type: v.literal('npy'),
    inputs: v.string(),
    targets: v.string(),
    testFraction: v.optional(real(0, 0.9), 0),
  }),
]);

export const MODES = ['single', 'dataParallel', 'ddp', 'modelParallel'] as const;
export const HARDWARE = ['nvlink8', 'pcie4', 'ethernet10g'] as const;

export const configSchema = v.strictObject({
  model: v.optional(
    v.strictObject({ layers: v.pipe(v.array(layerSchema), v.minLength(1), v.maxLength(2 * LIMITS.layers)) }),
    {
      layers: [
        { type: 'Linear', in: 2, out: 8 },
        { type: 'Tanh' },
        { type: 'Linear', in: 8, out: 8 },
        { type: 'Tanh' },
        { type: 'Linear', in: 8, out: 1 },
      ],
    },
  ),
  loss: v.optional(lossSchema, { type: 'BCEWithLogitsLoss' }),
  optimizer: v.optional(optimizerSchema, { type: 'SGD', lr: 0.1, momentum: 0.9 }),
  data: v.optional(dataSchema, { type: 'spiral' }),
  /** Samples a step over all ranks. DDP gives each rank floor(batchSize / worldSize), as PyTorch's ImageNet example does. */
  batchSize: v.optional(count(1, LIMITS.batchSize), 32),
  shuffle: v.optional(v.boolean(), true),
  dropLast: v.optional(v.boolean(), false),
  /** Optimiser steps to run headless; the page runs until paused. `epochs` wins when both are given. */
  steps: v.optional(count(1, 10_000_000), 100),
  epochs: v.optional(count(1, 1_000_000)),
  seed: v.optional(count(0, 4294967295), 0),
  mode: v.optional(v.picklist(MODES), 'single'),
  /** Devices. `single` uses one whatever this says. */
  worldSize: v.optional(count(1, LIMITS.worldSize), 4),
  /** shared: virtual devices on one GPUDevice. workers: a worker and a GPUDevice a rank, transfers through host memory. */
  placement: v.optional(v.picklist(['shared', 'workers']), 'shared'),
  device: v.optional(v.picklist(['auto', 'webgpu', 'cpu']), 'auto'),
  ddp: v.optional(
    v.strictObject({
      /** MiB; fractions work. Absent: first bucket 1 MiB, then 25 MiB. Given: the cap of every bucket. */
      bucketCapMb: v.optional(real(0.00001, 4096)),
      algorithm: v.optional(v.picklist(['ring', 'naive']), 'ring'),
      /** false: the all-reduces start only after the whole backward. */
      overlap: v.optional(v.boolean(), true),
      samplerSeed: v.optional(count(0, 4294967295), 0),
    }),
    {},
  ),
  modelParallel: v.optional(
    v.strictObject({
      /** Layers on each device, e.g. [2, 3]. Absent: Linear layers spread evenly. */
      split: v.optional(v.pipe(v.array(count(1, 2 * LIMITS.layers)), v.maxLength(LIMITS.worldSize))),
    }),
    {},
  ),
  /** The machine that the modelled clock assumes. */
  hardware: v.optional(v.picklist(HARDWARE), 'pcie4'),
  /** Memory of each device in MiB; a Program that needs more is refused. */
  memoryBudgetMb: v.optional(real(0.001, 1_000_000), 256),
  /** Train a single-device twin beside a parallel mode and report max|dW| against it. */
  compareSingle: v.optional(v.boolean(), true),
  /** `.safetensors` with the initial weights, PyTorch's parameter names (with or without `module.`). */
  weights: v.optional(v.string()),
});

export type Config = v.InferOutput<typeof configSchema>;
export type ConfigInput = v.InferInput<typeof configSchema>;
export type LayerConfig = Config['model']['layers'][number];
export type LossConfig = Config['loss'];
export type OptimizerConfig = Config['optimizer'];
export type DataConfig = Config['data'];
export type Mode = Config['mode'];
export type HardwareId = Config['hardware'];

export const DEFAULT_CONFIG: Config = v.parse(configSchema, {});
