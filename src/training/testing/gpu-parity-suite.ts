/**
 * The tests of a recorded run on WebGPU: within the recorded bars of PyTorch on one GPUDevice, and the same bits with
 * one GPUDevice per rank. Called by parity tests of modes whose ranks share parameters or layers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import type { Mode } from '../../protocol/config';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import type { ParityCase } from './parity-cases';
import { runParity } from './run-parity';
import { expectSameBits, runInWorkers } from './run-placements';

export interface GpuParity {
  readonly mode: Mode;
  /** Why the quick tier leaves the case out; undefined: it runs there. */
  restOf(parity: ParityCase): string | undefined;
  /** Why the quick tier leaves out one GPUDevice per rank. */
  readonly workers: string;
}

export function describeOnGpu(cases: readonly ParityCase[], { mode, restOf, workers }: GpuParity): void {
  let node: NodeGpu;
  beforeAll(() => {
    node = nodeGpu({ warm: true });
  });
  afterAll(() => node.close());

  for (const parity of cases)
    describe(parity.name, place({ modes: [mode], rest: restOf(parity) }), () => {
      const shared = once(() => runParity(parity, node.gpu));

      test('meets its bars on WebGPU', async () => {
        const { measured } = await shared();
        expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
        expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
        expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
        expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
        expect(measured.replicaDivergence).toBe(0);
      });

      test('one GPUDevice per rank: the bits of the shared run', place({ rest: workers }), async () => {
        expectSameBits((await shared()).held, await runInWorkers(parity, node.gpu));
      });
    });
}
