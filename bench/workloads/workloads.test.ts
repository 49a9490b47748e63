/**
 * The other libraries get the data and weights on which Lockstep trains, and Lockstep's own runners return the numbers
 * that are compared.
 */
import { expect, it } from 'vitest';
import { benchMaterial } from '../../src/bench/bench';
import { disagreement } from '../check-losses.mjs';
import { lockstepContenders } from '../contenders/lockstep';
import { WORKLOADS, workload } from '.';
import { NETS } from './nets';
import { expectedProbes } from './products';
import type { TrainingWork } from './workload';

it.each(NETS.map((net) => [net.id, net] as const))(
  '%s has material for four different batches',
  (_, { config, files }) => {
    const { parameters, batches, inputShape, targetShape } = benchMaterial(config, files);
    const count = (shape: readonly number[]) => shape.reduce((n, d) => n * d, config.batchSize ?? 1);
    expect(batches.map(({ inputs }) => inputs.length)).toEqual(Array.from({ length: 4 }, () => count(inputShape)));
    expect(new Set(batches.map(({ inputs }) => inputs.join())).size).toBe(4);
    expect(batches[0]?.targets.length).toBe(count(targetShape));
    for (const { shape, data } of parameters) expect(data.length).toBe(shape.reduce((n, d) => n * d, 1));
  },
);

it('has the GPT with the documented sizes', () => {
  const { config, files } = NETS.find(({ id }) => id === 'gpt') ?? { config: {}, files: {} };
  const { parameters } = benchMaterial(config, files);
  expect(parameters.find(({ name }) => name === 'head.weight')?.shape).toEqual([65, 128]);
  expect(parameters.filter(({ name }) => name.endsWith('qkv.weight'))).toHaveLength(4);
});

it('gives each workload a different id', () => {
  expect(new Set(WORKLOADS.map(({ id }) => id)).size).toBe(WORKLOADS.length);
  expect(() => workload('nothing')).toThrow('no workload nothing');
});

it('multiplies and trains on the CPU device', async () => {
  const cpu = lockstepContenders().find(({ id }) => id === 'lockstep-cpu');
  const product = workload('matmul-256');
  const net = workload('small-2-4-2-1');
  if (!cpu?.product || product.kind !== 'product' || net.kind !== 'training') throw new Error('no such contender');
  const multiplying = await cpu.product(product);
  expect(disagreement(await multiplying.check(), expectedProbes(256))).toBeUndefined();
  await multiplying.dispose();
  const training = await cpu.training(net);
  const losses = await training.check();
  expect(losses).toHaveLength(net.checkedSteps);
  expect(losses[0]).toBeCloseTo(firstLoss(net), 6);
  await training.dispose();
});

/**
 * The mean squared error of tanh layers on the first batch, in double precision, from the data and weights that the
 * other libraries get.
 */
function firstLoss({ config, files }: TrainingWork): number {
  const { parameters, batches } = benchMaterial(config, files);
  const { inputs, targets } = batches[0] ?? { inputs: [], targets: [] };
  const width = parameters[0]?.shape[1] ?? 1;
  const errors = Array.from(targets, (target, row) => {
    let x = Array.from(inputs.slice(row * width, (row + 1) * width));
    for (let layer = 0; layer < parameters.length; layer += 2) {
      const [weight, bias] = [parameters[layer]?.data ?? [], parameters[layer + 1]?.data ?? []];
      const from = x;
      const last = layer === parameters.length - 2;
      x = Array.from(bias, (b, out) => {
        const sum = from.reduce((total, value, k) => total + value * (weight[out * from.length + k] ?? 0), b);
        return last ? sum : Math.tanh(sum);
      });
    }
    return ((x[0] ?? 0) - target) ** 2;
  });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}
