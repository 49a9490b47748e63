/** Mixed precision on the CPU device against PyTorch 2.13. */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { MIXED_CASES } from '../testing/mixed-cases';
import { runParity } from '../testing/run-parity';

for (const parity of MIXED_CASES)
  test(parity.name, place({ modes: ['single'] }), async () => {
    const { measured } = await runParity(parity);
    console.log(measured);
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
  });
