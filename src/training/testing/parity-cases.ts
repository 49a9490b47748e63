/**
 * Training runs recorded from real PyTorch as parity cases: every mode that a run can be trained in, with what it must
 * come to.
 */

import { writeNpy } from '../../data/readers/npy';
import { initialParameters } from '../../nn/model';
import type { Config, ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { Generator } from '../../tensor/generator';
import type { Blueprint } from '../blueprint';
import dataParallelFixture from '../fixtures/dataparallel.json';
import { type Bars, type DdpMode, RECORDED, type Recorded, type RecordedRun, type Stored } from './recorded-runs';

export interface ParityCase {
  readonly name: string;
  readonly config: ConfigInput;
  readonly files: Files;
  /** Losses of each rank, one per micro-batch. */
  readonly losses: readonly (readonly number[])[];
  /** After the first optimiser step. */
  readonly firstGradients: ReadonlyMap<string, Stored>;
  readonly finalParameters: ReadonlyMap<string, Stored>;
  /** Loss in evaluation mode over all data, where it was recorded. */
  readonly evalLoss: number | undefined;
  /** What clipping multiplied the first gradients by. */
  readonly clipped: number;
  readonly finalBuffers: ReadonlyMap<string, Stored>;
  readonly bars: Bars;
  /** Of a mode for tests; absent: of the mode that the configuration names. */
  readonly blueprintOf?: (config: Config) => Blueprint;
}

type Tensors = Readonly<Record<string, Stored>>;
/** PyTorch's bare nn.Linear has no module index; ours is always a Sequential. */
const tensors = (stored: Tensors): ReadonlyMap<string, Stored> =>
  new Map(Object.entries(stored).map(([name, t]) => [/^(weight|bias)$/.test(name) ? `0.${name}` : name, t]));

const ofRun = (run: RecordedRun, maxNorm: number | undefined): Omit<ParityCase, 'name' | 'config' | 'bars'> => ({
  files: {},
  losses: [run.losses],
  firstGradients: tensors(run.first_step_grads),
  finalParameters: tensors(run.final_params),
  finalBuffers: tensors(run.final_buffers ?? {}),
  evalLoss: run.eval_loss_full_data,
  clipped: maxNorm === undefined ? 1 : Math.min(1, maxNorm / ((run.grad_norms?.[0] ?? 0) + 1e-6)),
});

/**
 * DataParallel normalises each chunk by itself and draws its masks in no fixed order: only runs without either are
 * PyTorch's.
 */
const sameOnChunks = ({ config }: Recorded): boolean =>
  !config.model?.layers.some(({ type }) => type.startsWith('BatchNorm') || type === 'Dropout');

function casesOf(run: Recorded): ParityCase[] {
  const { name, config: base, bars, single, accum, split, noise } = run;
  const barOf = (key: string): Bars => {
    const bar = bars[key];
    if (!bar) throw new Error(`no bar ${key}`);
    return bar;
  };
  const alone = { ...ofRun(single, base.clipGradNorm), bars: barOf('single') };
  const cases: ParityCase[] = [{ ...alone, name: `${name} single`, config: { ...base, mode: 'single' } }];
  const layers = base.model?.layers.length ?? 0;
  if (split !== undefined) {
    const modelParallel = { split: [split, layers - split] };
    const config: ConfigInput = { ...base, mode: 'modelParallel', worldSize: 2, modelParallel };
    cases.push({ ...alone, name: `${name} model parallel`, config });
  }
  if (sameOnChunks(run)) {
    const config: ConfigInput = { ...base, mode: 'dataParallel', worldSize: 4 };
    cases.push({ ...alone, name: `${name} DataParallel, 4 devices`, config });
  }
  if (accum) {
    const config: ConfigInput = { ...base, mode: 'single', accumulate: accum.accum ?? 1 };
    cases.push({ ...ofRun(accum, base.clipGradNorm), name: `${name} accumulation`, config, bars: barOf('accum') });
  }
  for (const entry of run.ddp) {
    const { world_size, batch_per_rank, accum: micro = 1, drop_last, sampler_seed, join_counts } = entry.mode;
    const key = Object.entries(entry.mode)
      .map(
        ([k, v]) => `${k}${v === true ? 'True' : v === false ? 'False' : Array.isArray(v) ? `[${v.join(', ')}]` : v}`,
      )
      .join('_');
    cases.push({
      name: `${name} DDP ${key}`,
      config: {
        ...base,
        mode: 'ddp',
        worldSize: world_size,
        batchSize: world_size * batch_per_rank * micro,
        accumulate: micro,
        // The recorded ranks shuffle unless they say otherwise, whatever the single run does.
        shuffle: entry.mode.shuffle ?? join_counts === undefined,
        dropLast: drop_last ?? false,
        ddp: { samplerSeed: sampler_seed ?? 0, ...(join_counts ? joined(entry.mode, join_counts) : {}) },
        ...(entry.mode.epochs === undefined ? {} : { epochs: entry.mode.epochs }),
      },
      files: {},
      losses: entry.per_rank_losses,
      firstGradients: tensors(entry.first_step_averaged_grads ?? {}),
      finalParameters: tensors(entry.final_params),
      finalBuffers: new Map(),
      evalLoss: undefined,
      clipped: 1,
      bars: barOf(`ddp_${key}`),
    });
  }
  // Rounding has no bar.
  const real = (list: ReadonlyMap<string, Stored>) => new Map([...list].filter(([key]) => !noise.includes(key)));
  return cases.map((c) => ({
    ...c,
    firstGradients: real(c.firstGradients),
    finalParameters: real(c.finalParameters),
  }));
}

const joined = ({ batch_per_rank, divide_by_initial_world_size = true }: DdpMode, counts: readonly number[]) => ({
  join: true,
  divideByInitialWorldSize: divide_by_initial_world_size,
  samplesPerRank: counts.map((batches) => batches * batch_per_rank),
});

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
    firstGradients: tensors(first_step.grads as unknown as Tensors),
    finalParameters: tensors(final_params as unknown as Tensors),
    finalBuffers: new Map(),
    evalLoss: undefined,
    clipped: 1,
    bars: { loss_rel_first10: 1e-5, loss_rel_all: 1e-5, first_grad_maxrel: 1e-5, final_param_maxabs: 1e-5 },
  };
}

export const PARITY_CASES: readonly ParityCase[] = [...RECORDED.flatMap(casesOf), dataParallelCase()];
