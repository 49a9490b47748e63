/** Two micro-batches in one Program, made by hand: names, order, memory, and what the CPU executor makes of it. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { PROGRAM_OPS } from '../../parallel/modes';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import { ALONE, programKey } from '../../protocol/step-kind';
import { feedOfTwo, LOSSES_OF_TWO, twoMicroBatches } from '../testing/two-micro-batches';
import { createPortTransport } from '../transport/port-transport';
import { createPortMesh } from '../transport/rank-links';
import { createCpuExecutor } from './cpu-executor';

const KEY = programKey(ALONE);

test('each micro-batch has buffers and events of its own, and shares what persists', () => {
  const [lane] = twoMicroBatches().lanes;
  expect(lane?.buffers.map(({ name }) => name)).toEqual([
    'x',
    'taken',
    'sum',
    'w.grad',
    'loss',
    'x@1',
    'taken@1',
    'sum@1',
    'loss@1',
  ]);
  const loads = lane?.instructions.flatMap((i) => (i.kind === 'load' ? [[i.buffer, i.microBatch]] : []));
  expect(loads).toEqual([
    ['x', undefined],
    ['x@1', 1],
  ]);
  const waits = lane?.instructions.flatMap((i) => (i.kind === 'wait' ? [i.event] : []));
  expect(waits).toContain('doubled');
  expect(waits).toContain('doubled@1');
  expect(lane?.losses).toEqual([
    { microBatch: 0, buffer: 'loss' },
    { microBatch: 1, buffer: 'loss@1' },
  ]);
});

test('the Program is in order, and the second micro-batch uses the memory of the first', () => {
  const program = twoMicroBatches();
  verify(program, PROGRAM_OPS);
  /** Kept until it is read. */
  const loss = 256;
  const bytes = (count: number) => planMemory([twoMicroBatches(count)]).get(0)?.bytes;
  expect(bytes(2)).toBe((bytes(1) ?? 0) + loss);
  expect(bytes(3)).toBe((bytes(1) ?? 0) + 2 * loss);
});

test('an executor of both devices has a loss for each micro-batch', async () => {
  const executor = createCpuExecutor({ programs: [twoMicroBatches()], devices: [0, 1], ops: PROGRAM_OPS });
  await executor.step(KEY, feedOfTwo);
  await executor.trace(KEY, feedOfTwo);
  expect(await executor.losses()).toEqual([LOSSES_OF_TWO, LOSSES_OF_TWO]);
});

test('executors of one device each, over ports, have the same', async () => {
  const mesh = createPortMesh(2);
  const executors = [0, 1].map((device) => {
    const transport = createPortTransport(device, at(mesh, device));
    return createCpuExecutor({ programs: [twoMicroBatches()], devices: [device], ops: PROGRAM_OPS, transport });
  });
  await Promise.all(executors.map(async (executor) => executor.step(KEY, feedOfTwo)));
  const losses = await Promise.all(executors.map((executor) => executor.losses()));
  expect(losses.flat(2)).toEqual(LOSSES_OF_TWO);
  for (const ports of mesh) for (const port of ports.values()) port.close();
});
