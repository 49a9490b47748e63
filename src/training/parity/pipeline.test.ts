/**
 * Pipelines on the CPU device against torch.distributed.pipelining 2.13: in one memory from the first step to the last,
 * with one worker per rank held to the bits of that run.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import { pipelinePlace } from '../testing/parity-tier';
import { PIPELINE_CASES, PIPELINE_MESH_CASES } from '../testing/pipeline-cases';
import { runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';

for (const parity of [...PIPELINE_CASES, ...PIPELINE_MESH_CASES]) {
  describe(parity.name, place(pipelinePlace(parity)), () => {
    const shared = once(() => runParity(parity));

    test('meets its bars on the CPU', async () => {
      const { measured } = await shared();
      expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
      expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
      expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.replicaDivergence).toBe(0);
    });

    test('one worker per rank: the bits of the shared run', async () => {
      expectSameBits((await shared()).held, await runInWorkers(parity));
    });
  });
}
