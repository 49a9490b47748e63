/**
 * Honest heterogeneous devices: a rank on typed arrays beside ranks on WebGPU, in one world. The same training within
 * tolerance; what is all-reduced is the same to the bit.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';

const STEPS = 4;
let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const options = (adapters: readonly ('highPerformance' | 'cpu')[] | undefined) =>
  parseConfig({
    mode: 'ddp',
    worldSize: 3,
    batchSize: 12,
    model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 1 }] },
    placement: 'workers',
    device: 'cpu',
    ...(adapters ? { adapters: [...adapters] } : {}),
  });

async function train(adapters: readonly ('highPerformance' | 'cpu')[] | undefined) {
  const keeper = new DeviceKeeper(node.gpu, true);
  const training = await createTraining(createBlueprint(options(adapters), {}), { keeper, gpu: node.gpu });
  try {
    await training.run(STEPS - 1);
    const trace = await training.trace();
    const { devices } = await training.weights();
    return {
      trace,
      device: training.device,
      weights: devices.map((device) => [...device.values()].map((values) => [...values])),
    };
  } finally {
    await training.dispose();
  }
}

test('a CPU rank beside two WebGPU ranks', async () => {
  const mixed = await train(['highPerformance', 'cpu', 'highPerformance']);
  expect(mixed.device.adapters?.map(({ kind }) => kind)).toEqual(['webgpu', 'cpu', 'webgpu']);
  const alike = await train(undefined);
  expect(alike.device.adapters).toBeUndefined();
  mixed.weights.forEach((replica, device) => {
    replica.flat().forEach((w, i) => {
      expect(Math.abs(w - at(at(alike.weights, device).flat(), i))).toBeLessThan(1e-5);
    });
  });

  // Replicas hold the same bytes after every chunk that comes last in an all-reduce.
  const last = new Map<string, Map<number, readonly number[]>>();
  for (const { collective, captured, device, kind } of mixed.trace.events) {
    if (collective?.op !== 'allReduce' || kind !== 'recv' || collective.part !== 'all-gather') continue;
    const key = `${collective.seq} ${collective.chunk}`;
    const seen = last.get(key) ?? new Map<number, readonly number[]>();
    last.set(
      key,
      seen.set(
        device,
        captured.flatMap(({ values }) => [...values]),
      ),
    );
  }
  expect(last.size).toBeGreaterThan(0);
  for (const [key, byDevice] of last) {
    const [first, ...others] = byDevice.values();
    expect(others.length, key).toBeGreaterThan(0);
    for (const other of others) expect(other, key).toEqual(first);
  }
});
