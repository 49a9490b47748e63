/**
 * Tensor and sequence parallelism on the CPU device against torch.distributed.tensor.parallel 2.13: losses, first
 * gradients and final parameters, which the ranks hold in parts; and the same bits with a worker for each rank.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import { runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';
import { TENSOR_CASES, TENSOR_MESH_CASES } from '../testing/tensor-cases';

test('all recorded runs are there', () =>
  expect([TENSOR_CASES, TENSOR_MESH_CASES].map((cases) => cases.length)).toEqual([9, 2]));

/** One GPT with sequence parallelism has every operator and redistribution of the others. */
const IN_QUICK = /^mlp784|^gpt, tp 2, .*SequenceParallel|^deep_tanh/;

const WORKERS = 'parity.test.ts has a worker for each rank in other modes';

for (const parity of [...TENSOR_CASES, ...TENSOR_MESH_CASES]) {
  const shared = once(() => runParity(parity));
  const rest = IN_QUICK.test(parity.name) ? undefined : 'the GPT under sequence parallelism has its operators';

  test(parity.name, place({ modes: ['tensor'], rest }), async () => {
    const { measured } = await shared();
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.replicaDivergence).toBe(0);
  });

  test(`${parity.name}, in workers: the same bits`, place({ modes: ['tensor'], rest: WORKERS }), async () => {
    expectSameBits((await shared()).held, await runInWorkers(parity));
  });
}
