/**
 * Small runs in every mode and mesh, most of which both Lockstep and PyTorch train: a model with rows that fit it, a
 * loss, an optimiser, and a few settings of its mode. Some read data files, or begin with the weights of a file. Some
 * go on from a checkpoint, which the same run, or one in another mode, has left.
 */
import fc from 'fast-check';
import type { ConfigInput } from '../../src/protocol/config';
import { anyMode } from './any-mode';
import { anyOptimizer, anyScheduler } from './any-optimizer';
import { TASKS } from './any-task';
import { type Gen, int, often, one, some } from './draws';

export interface AnyRun {
  readonly config: ConfigInput;
  /** The data files by name, in base64. */
  readonly files?: Readonly<Record<string, string>>;
  /** The seed whose initial weights are in the file of `config.weights`. */
  readonly weightsOf?: number;
  /** Absent: the run starts from the beginning. */
  readonly saved?: { readonly by: ConfigInput; readonly afterSteps: number };
}

export const WEIGHTS_FILE = 'start.safetensors';

const lowPrecision = (g: Gen): ConfigInput => {
  const precision = one(g, 'autocast-bf16', 'autocast-fp16', 'bf16-master', 'fp16-master', 'bf16');
  return {
    precision,
    optimizer: { type: 'SGD', lr: 0.05, momentum: one(g, 0, 0.9) },
    ...(precision.includes('fp16')
      ? some(g, 60, () => ({
          gradScaler: {
            enabled: true,
            initScale: one(g, 65_536, 1024, 2 ** 24),
            growthInterval: int(g, 1, 4),
            ...some(g, 40, () => ({ growthFactor: 3, backoffFactor: 0.25 })),
            unscaleBeforeClip: often(g, 70),
          },
        }))
      : {}),
  };
};

const clipping = (g: Gen): ConfigInput => ({
  ...some(g, 20, () => ({
    clipGradNorm: one(g, 0.3, 1),
    ...some(g, 20, () => ({ clipGradNormType: one<number | 'inf'>(g, 1, 3, 'inf') })),
  })),
  ...some(g, 7, () => ({ clipGradValue: 0.05 })),
});

const groupsOf = (g: Gen): NonNullable<ConfigInput['paramGroups']> => [
  { match: one(g, '*.bias', '0.*', '*.weight', 'blocks.0.*'), lr: 0.02, ...some(g, 70, () => ({ weightDecay: 0 })) },
  ...(often(g, 25) ? [{ match: '2.*', weightDecay: 0.02 }] : []),
];

export const anyTorchRun: fc.Arbitrary<AnyRun> = fc.gen().map((g): AnyRun => {
  const { files: drawn, ...task } = one(g, ...TASKS)(g);
  const files = drawn && {
    files: Object.fromEntries(
      Object.entries(drawn).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
    ),
  };
  const optimizer = anyOptimizer(g);
  const run: ConfigInput = {
    ...task,
    device: 'cpu',
    compareSingle: false,
    seed: int(g, 0, 50),
    batchSize: int(g, 4, 17),
    dropLast: often(g, 50),
    steps: int(g, 2, 7),
    optimizer,
    ...some(g, 30, () => ({ scheduler: anyScheduler(g, optimizer) })),
    ...clipping(g),
    ...some(g, 15, () => ({ shuffle: false })),
    ...some(g, 15, () => ({ paramGroups: groupsOf(g) })),
    ...some(g, 10, () => ({ fuse: true })),
    ...some(g, 10, () => lowPrecision(g)),
  };
  const layers = task.model?.layers ?? [];
  const config = { ...run, ...some(g, 10, () => ({ epochs: int(g, 1, 2) })), ...anyMode(g, layers) };
  if (often(g, 10)) return { config: { ...config, weights: WEIGHTS_FILE }, ...files, weightsOf: int(g, 51, 99) };
  if (often(g, 75)) return { config, ...files };
  const by = often(g, 50) ? config : { ...run, ...anyMode(g, layers) };
  const afterSteps = int(g, 1, 3);
  return { config: { ...config, steps: (config.steps ?? 1) + afterSteps }, ...files, saved: { by, afterSteps } };
});
