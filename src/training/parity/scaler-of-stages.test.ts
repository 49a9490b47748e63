/**
 * A GradScaler whose model is on several devices or ranks, on the CPU device, against torch 2.13: gradients of float16
 * overflow on some of them, and all skip the step. In torch a pipeline needs a scaler that tells the other stages; the
 * exported script has one.
 */
import { test } from 'vitest';
import { place } from '../../../scripts/tier';
import { expectNearTorch, STAGE_SCALER_RUNS } from '../testing/stage-scaler-runs';

test.each(STAGE_SCALER_RUNS)('$name', place({ modes: ['modelParallel', 'pipeline'] }), (run) =>
  expectNearTorch(run, 1e-4),
);
