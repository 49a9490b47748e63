/** A GradScaler whose model is on several devices or ranks, on the WGSL kernels, near torch 2.13. */
import { afterAll, beforeAll, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { expectNearTorch, STAGE_SCALER_RUNS } from '../testing/stage-scaler-runs';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

/** Some roundings of float16 the other way. */
const BAR = 5e-3;

test.each(STAGE_SCALER_RUNS.slice(0, 3))('$name', place({ modes: ['modelParallel', 'pipeline'] }), (run) =>
  expectNearTorch(run, BAR, node.gpu),
);

test('one GPUDevice per rank', place({ modes: ['pipeline'] }), async () => {
  const [, stages] = STAGE_SCALER_RUNS;
  if (stages) await expectNearTorch({ ...stages, config: { ...stages.config, placement: 'workers' } }, BAR, node.gpu);
});

test.each(STAGE_SCALER_RUNS.slice(3))('$name', place({ rest: 'two stages skip together above' }), (run) =>
  expectNearTorch(run, BAR, node.gpu),
);
