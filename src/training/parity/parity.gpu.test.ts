/**
 * Training runs on the WGSL kernels: shared on one GPUDevice, held against real PyTorch from the first step to the
 * last; and with one GPUDevice per rank, joined by ports, held to the bits of the shared run (parity.test.ts trains
 * both whole).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { PARITY_CASES, type ParityCase } from '../testing/parity-cases';
import { isSmall, parityPlace } from '../testing/parity-tier';
import { runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const WORKERS = 'one run of each mode in workers is in the quick tier; on the CPU (parity.test.ts) all small ones are';
/**
 * Of the large nets those of the quick tier run in workers, too: a CNN and a GPT. The others have the same
 * kernels and the same messages as those or as a small net of their mode, and run in workers on the CPU.
 */
const runsInWorkers = (parity: ParityCase): boolean => isSmall(parity) || parityPlace(parity).rest === undefined;
const IN_WORKERS = /^tanh_mlp (single|model parallel|DataParallel.*|DDP world_size2_batch_per_rank16)$/;

/** Minutes of a software GPU, whose attention attention.gpu.test.ts holds to the CPU. */
const ON_CPU = 'parity.test.ts trains the GPT under DDP on the CPU';

for (const parity of PARITY_CASES) {
  const { modes, rest = parity.name.startsWith('gpt') ? ON_CPU : undefined } = parityPlace(parity);
  describe(parity.name, place({ modes, rest }), () => {
    const alone = place(IN_WORKERS.test(parity.name) ? {} : { rest: WORKERS });
    const shared = once(() => runParity(parity, node.gpu));

    test('meets its bars on WebGPU', async () => {
      const { measured } = await shared();
      expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
      expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
      expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.eval_loss_rel).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.final_buffer_maxrel).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.replicaDivergence).toBe(0);
    });

    if (!runsInWorkers(parity)) return;
    test('one GPUDevice per rank: the bits of the shared run', alone, async () => {
      expectSameBits((await shared()).held, await runInWorkers(parity, node.gpu));
    });
  });
}
