/**
 * Training runs on the CPU device: shared in one memory, held against real PyTorch from the first step to the last; and
 * with one worker per rank, held to the bits of the shared run. Nets that train in no time go all the way there, too.
 * Of the large ones the first steps are enough: every buffer that outlives a step has the same bits in both then, and
 * the steps after it run the same Programs.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import { PARITY_CASES } from '../testing/parity-cases';
import { isSmall, parityPlace } from '../testing/parity-tier';
import { runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';

for (const parity of PARITY_CASES) {
  describe(parity.name, place(parityPlace(parity)), () => {
    const shared = once(() => runParity(parity, undefined, isSmall(parity)));

    test('meets its bars on the CPU', async () => {
      const { measured } = await shared();
      expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
      expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
      expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.eval_loss_rel).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.final_buffer_maxrel).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.replicaDivergence).toBe(0);
    });

    test('one worker per rank: the bits of the shared run', async () => {
      expectSameBits((await shared()).held, await runInWorkers(parity, undefined, isSmall(parity)));
    });
  });
}
