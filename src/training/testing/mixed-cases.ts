/**
 * Mixed precision recorded from real PyTorch 2.13 as parity cases: autocast with bfloat16, with and without a
 * GradScaler, and the scaler in float32, with infinities planted into a gradient at two steps.
 */
import { at } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import type { StoredTensor } from '../../tensor/fixtures/decode';
import fixture from '../fixtures/mixed-precision.json';
import cut from '../fixtures/tensor-autocast.json';
import type { ParityCase } from './parity-cases';
import { type Bars, type Stored, tensors } from './recorded-runs';

const recorded = at(fixture.runs, 0);
const { spec } = recorded;

export const MIXED_BASE: ConfigInput = {
  model: { layers: mlpLayers([spec.model.in, spec.model.h, spec.model.h, spec.model.out], 'Tanh') },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'xor', samples: spec.data.n },
  batchSize: spec.batch,
  seed: spec.seed,
};

/** The recorder holds half precision within 1e-2; on the CPU gradients and parameters have torch's bits. */
const BARS: Bars = { loss_rel_first10: 1e-6, loss_rel_all: 1e-6, first_grad_maxrel: 0, final_param_maxabs: 0 };

const stored = (of: object) => tensors(of as Readonly<Record<string, Stored>>);

export const AUTOCAST_CASE: ParityCase = {
  name: 'autocast with bfloat16',
  config: { ...MIXED_BASE, mode: 'single', precision: 'autocast-bf16' },
  files: {},
  losses: [recorded.autocast_bf16.losses],
  firstGradients: stored(recorded.autocast_bf16.first_step_grads),
  finalParameters: stored(recorded.autocast_bf16.final_params),
  evalLoss: undefined,
  clipped: 1,
  finalBuffers: new Map(),
  bars: BARS,
};

/** model.to(torch.bfloat16): with a float32 master that the optimiser steps, and without. */
export const WHOLE_MODEL_CASES: readonly ParityCase[] = [
  {
    ...AUTOCAST_CASE,
    name: 'bfloat16 weights with a float32 master',
    config: { ...MIXED_BASE, mode: 'single', precision: 'bf16-master' },
    losses: [recorded.bf16_weights_float32_master.losses],
    firstGradients: stored(recorded.bf16_weights_float32_master.first_step_grads_bf16),
    finalParameters: stored(recorded.bf16_weights_float32_master.final_master_params),
  },
  {
    ...AUTOCAST_CASE,
    name: 'bfloat16 alone',
    config: { ...MIXED_BASE, mode: 'single', precision: 'bf16' },
    losses: [recorded.bf16_everything.losses],
    firstGradients: new Map(),
    finalParameters: stored(recorded.bf16_everything.final_params),
  },
];

const { sizes, samples, batch } = cut;

/** Two pairs of columns and rows on two ranks; scripts/tensor-autocast-reference.py has written it out in PyTorch. */
export const TENSOR_AUTOCAST_CASE: ParityCase = {
  ...AUTOCAST_CASE,
  name: 'a tensor group, autocast with bfloat16',
  config: {
    mode: 'tensor',
    worldSize: 2,
    tensor: { plan: { 0: 'ColwiseParallel', 2: 'RowwiseParallel', 4: 'ColwiseParallel', 6: 'RowwiseParallel' } },
    precision: 'autocast-bf16',
    model: { layers: mlpLayers(sizes, 'Tanh') },
    data: { type: 'randomRegression', samples, in: at(sizes, 0), out: at(sizes, sizes.length - 1) },
    loss: { type: 'MSELoss' },
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    batchSize: batch,
  },
  losses: [cut.losses],
  firstGradients: stored(cut.first_step_grads),
  finalParameters: stored(cut.final_params),
};

export interface ScalerCase {
  readonly name: string;
  readonly config: ConfigInput;
  readonly losses: readonly number[];
  readonly finalParameters: ReadonlyMap<string, StoredTensor>;
  readonly scales: readonly number[];
  readonly skipped: readonly boolean[];
}

/** Steps, counted from 0, at which the recorder made the first element of the first gradient infinite. */
export const POISONED: readonly number[] = spec.poison;

export const SCALER_CASES: readonly ScalerCase[] = (['float32_scaler', 'autocast_bf16_scaler'] as const).map((name) => {
  const { losses, final_params, scale_after_each_step: scales, skipped } = recorded[name];
  const { init_scale: initScale, growth_interval: growthInterval } = spec.scaler;
  const precision = name === 'float32_scaler' ? 'float32' : 'autocast-bf16';
  const gradScaler = { enabled: true, initScale, growthInterval };
  const config = { ...MIXED_BASE, mode: 'single', precision, gradScaler } as const;
  return { name, config, losses, finalParameters: new Map(Object.entries(final_params)), scales, skipped };
});

export const ROUNDING = recorded.rounding;
