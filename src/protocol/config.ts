/**
 * The Config: one validated object that defines a run. The URL, the page, the command line and the lessons each make
 * one; `session` is its only reader. This file is the schema with its defaults and limits; `lockstep schema` generates
 * its JSON Schema from this file. Names are PyTorch's (camelCase); units are in names.
 */
import * as v from 'valibot';
import { dataSchema } from './config/data';
import { ddpSchema } from './config/ddp';
import { count, LIMITS, real, settings } from './config/fields';
import { layerSchema } from './config/layers';
import { lossSchema } from './config/loss';
import { optimizerSchema, paramGroupSchema } from './config/optimizer';
import { meshSchema, pipelineSchema } from './config/pipeline';
import { gradScalerSchema, PRECISIONS } from './config/precision';
import { schedulerSchema } from './config/scheduler';
import { shardedSchema } from './config/sharded';
import { tensorSchema } from './config/tensor';

export type { DataConfig, ToyData } from './config/data';
export { asPair, LIMITS, type NumberOrPair } from './config/fields';
export type { LayerConfig, LayerInput, LayerOf, LayerType, LeafLayer } from './config/layers';
export { layerSchema } from './config/layers';
export type { LossConfig } from './config/loss';
export { lossSchema } from './config/loss';
export type { OptimizerConfig } from './config/optimizer';
export { optimizerSchema } from './config/optimizer';
export type { SchedulerConfig } from './config/scheduler';
export { dataSchema };

export const MODES = [
  'single',
  'dataParallel',
  'ddp',
  'modelParallel',
  'pipeline',
  'sharded',
  'tensor',
  'parameterServer',
] as const;
export const HARDWARE = ['nvlink8', 'pcie4', 'ethernet10g', 'transputer'] as const;

export const configSchema = settings({
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
  /**
   * Groups of parameters with their own rate, weight decay or other settings; all other parameters use the optimiser's.
   */
  paramGroups: v.optional(v.pipe(v.array(paramGroupSchema), v.maxLength(16)), []),
  /** How the learning rate changes over steps or epochs; absent: it stays. */
  scheduler: v.optional(schedulerSchema),
  /**
   * torch.nn.utils.clip_grad_norm_: gradients are scaled so that their common norm is at most this. Absent: not
   * clipped.
   */
  clipGradNorm: v.optional(real(0, 1e9)),
  /** Its norm_type: the p of the p-norm, or 'inf' for the greatest absolute value. Absent: 2. */
  clipGradNormType: v.optional(v.union([real(0.5, 16), v.literal('inf')])),
  /**
   * torch.nn.utils.clip_grad_value_, after clip_grad_norm_: no element of a gradient is greater than this, or less than
   * its negative. Absent: not clipped.
   */
  clipGradValue: v.optional(real(0, 1e9)),
  data: v.optional(dataSchema, { type: 'spiral' }),
  /**
   * Samples per step over all ranks. DDP gives each rank floor(batchSize / worldSize), as PyTorch's ImageNet example
   * does.
   */
  batchSize: v.optional(count(1, LIMITS.batchSize), 32),
  /**
   * Number of micro-batches whose gradients accumulate before an optimiser step; each has batchSize / accumulate
   * samples, and its loss is weighted by 1 / accumulate.
   */
  accumulate: v.optional(count(1, 256), 1),
  shuffle: v.optional(v.boolean(), true),
  dropLast: v.optional(v.boolean(), false),
  /**
   * Steps of the optimizer (each takes `accumulate` micro-batches) to run headless; the page runs until paused.
   * `epochs` wins when both are given.
   */
  steps: v.optional(count(1, 10_000_000), 100),
  epochs: v.optional(count(1, 1_000_000)),
  seed: v.optional(count(0, 4294967295), 0),
  mode: v.optional(v.picklist(MODES), 'single'),
  /** Number of devices. `single` always uses one. */
  worldSize: v.optional(count(1, LIMITS.worldSize), 4),
  /**
   * shared: virtual devices on one GPUDevice. workers: one worker and one GPUDevice per rank, transfers through host
   * memory.
   */
  placement: v.optional(v.picklist(['shared', 'workers']), 'shared'),
  device: v.optional(v.picklist(['auto', 'webgpu', 'cpu']), 'auto'),
  /** Nodes that the devices are spread over evenly, in order: torchrun's --nnodes. */
  nodes: v.optional(count(1, LIMITS.worldSize), 1),
  /**
   * CUDA_VISIBLE_DEVICES: numbers of the devices that may be used, in the order in which the ranks of a node take them.
   * Absent: all.
   */
  visibleDevices: v.optional(v.pipe(v.array(count(0, LIMITS.worldSize - 1)), v.maxLength(LIMITS.worldSize))),
  /**
   * With ranks in workers: the devices of the machines, node after node; each rank takes one. Absent: all ranks on
   * `device`.
   */
  adapters: v.optional(
    v.pipe(
      v.array(v.picklist(['highPerformance', 'lowPower', 'software', 'cpu'])),
      v.minLength(1),
      v.maxLength(LIMITS.worldSize),
    ),
  ),
  /** Timeout of the process group, seconds. (PyTorch: 600 for nccl, 1800 for gloo, longer than a page can wait.) */
  timeoutS: v.optional(real(0.1, 86_400), 60),
  /** torchrun's --max-restarts: how often all ranks start again from the last checkpoint after one has failed. */
  maxRestarts: v.optional(count(0, 100), 3),
  /** Ranks and links that are slowed down artificially: a step's work, or a message, takes `factor` times as long. */
  stragglers: v.optional(
    v.pipe(
      v.array(
        v.variant('type', [
          v.strictObject({ type: v.literal('rank'), rank: count(0, LIMITS.worldSize - 1), factor: real(1, 1000) }),
          v.strictObject({
            type: v.literal('link'),
            from: count(0, LIMITS.worldSize - 1),
            to: count(0, LIMITS.worldSize - 1),
            factor: real(1, 1000),
          }),
        ]),
      ),
      v.maxLength(16),
    ),
    [],
  ),
  ddp: v.optional(ddpSchema, {}),
  parameterServer: v.optional(
    settings({
      /**
       * true: a step waits for the gradients of all workers. false: each worker's gradient is applied when it arrives.
       */
      synchronous: v.optional(v.boolean(), true),
      /** Asynchronous: how many updates a worker's parameters are behind the server's when its gradient is applied. */
      staleness: v.optional(count(0, 64), 1),
    }),
    {},
  ),
  modelParallel: v.optional(
    settings({
      /** Layers on each device, e.g. [2, 3]. Absent: Linear layers spread evenly. */
      split: v.optional(v.pipe(v.array(count(1, 2 * LIMITS.layers)), v.maxLength(LIMITS.worldSize))),
    }),
    {},
  ),
  /** Sizes of the mesh's axes; modes pipeline, sharded and tensor read it. */
  mesh: v.optional(meshSchema, {}),
  pipeline: v.optional(pipelineSchema, {}),
  sharded: v.optional(shardedSchema, {}),
  tensor: v.optional(tensorSchema, {}),
  /** The machine that the modelled clock assumes. */
  hardware: v.optional(v.picklist(HARDWARE), 'pcie4'),
  /** Memory of each device in MiB; a Program that needs more is refused. */
  memoryBudgetMb: v.optional(real(0.001, 1_000_000), 256),
  /**
   * Fused kernels, like torch.compile's; false: one kernel per operator, like eager PyTorch. The numbers are the same
   * to the bit.
   */
  fuse: v.optional(v.boolean(), false),
  /** Threads that compute the kernels of the CPU device, in each process. The numbers are the same to the bit. */
  threads: v.optional(count(1, 16), 1),
  /**
   * Products on the CPU device round x y + z once, if the machine supports it: faster, but the last bits depend on the
   * machine.
   */
  fusedMultiplyAdd: v.optional(v.boolean(), false),
  /**
   * torch.utils.checkpoint.checkpoint_sequential(model, segments, x): only the input of each segment of layers is kept
   * for backward, and the rest is recomputed; the last segment runs as usual. Absent: everything is kept.
   */
  checkpointSegments: v.optional(count(1, 2 * LIMITS.layers)),
  /**
   * Types in which layers compute: float32, or torch.autocast with bfloat16 or float16, which casts the operators on
   * its lists and keeps parameters and gradients in float32.
   */
  precision: v.optional(v.picklist(PRECISIONS), 'float32'),
  gradScaler: v.optional(gradScalerSchema, {}),
  /** Train a single-device reference beside a parallel mode and report max|dW| against it. */
  compareSingle: v.optional(v.boolean(), true),
  /** `.safetensors` with the initial weights, PyTorch's parameter names (with or without `module.`). */
  weights: v.optional(v.string()),
  /** Name of the checkpoint to resume from: <name>.safetensors and <name>.state.safetensors. */
  resume: v.optional(v.string()),
  /** Who reads the checkpoint: every rank (torch.load with map_location), or rank 0, which broadcasts it. */
  resumeBy: v.optional(v.picklist(['everyRank', 'rank0']), 'everyRank'),
});

export type Config = v.InferOutput<typeof configSchema>;
export type ConfigInput = v.InferInput<typeof configSchema>;
export type Mode = Config['mode'];
export type HardwareId = Config['hardware'];
/**
 * A device (under DDP its number is its rank's), or the messages between two devices, that takes `factor` times as
 * long.
 */
export type Straggler = Config['stragglers'][number];

export const DEFAULT_CONFIG: Config = v.parse(configSchema, {});
