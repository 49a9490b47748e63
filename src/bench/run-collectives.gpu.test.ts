/**
 * Collectives over ports between GPUDevices: the rounds on the host (runtime/webgpu/host-rounds) give correct results,
 * for whole and nested slices, for floats and integers.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { runCollectives } from './run-collectives';

let gpu: NodeGpu | undefined;

beforeAll(() => {
  gpu = nodeGpu({ warm: true });
});

afterAll(async () => {
  await gpu?.close();
  gpu = undefined;
});

test.each([
  ['allReduce', 'ring', 'sum'],
  ['allReduce', 'halvingDoubling', 'bxor'],
  ['allToAll', 'naive', 'sum'],
] as const)('%s by %s, %s', async (op, algorithm, reduceOp) => {
  const request = {
    op,
    algorithm,
    reduceOp,
    ranks: 3,
    nodes: 1,
    root: 0,
    // Longer than a single read-back.
    fromBytes: 900_000,
    toBytes: 900_000,
    stepFactor: 2,
    iterations: 1,
    warmup: 0,
    device: 'webgpu',
    transport: 'ports',
    hardware: 'pcie4',
  } as const;
  const { rows, device } = await runCollectives(request, { gpu: gpu?.gpu });
  expect(device.kind).toBe('webgpu');
  expect(rows).toMatchObject([{ wrong: 0 }]);
});
