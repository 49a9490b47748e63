/**
 * SyncBatchNorm is batch norm over the batches of all ranks, whatever their sizes: values, gradients and running
 * statistics, on the CPU.
 */
import { expect, test } from 'vitest';
import { verify } from '../program/verifier';
import { createCpuExecutor } from '../runtime/cpu/cpu-executor';
import { memoryTransport } from '../runtime/webgpu/testing/memory-transport';
import { PROGRAM_OPS } from './modes';
import { SYNC_CASES, syncFailures, syncProgram } from './testing/sync-batch-norm-run';

test.each(SYNC_CASES)('ranks with $sizes rows', async (stored) => {
  const program = syncProgram(stored);
  verify(program, PROGRAM_OPS);
  const devices = stored.sizes.map((_, device) => device);
  const common = { programs: [program], ops: PROGRAM_OPS };
  expect(await syncFailures(stored, [createCpuExecutor({ ...common, devices })])).toEqual([]);
  const transport = memoryTransport();
  const apart = devices.map((device) => createCpuExecutor({ ...common, devices: [device], transport }));
  expect(await syncFailures(stored, apart)).toEqual([]);
  const messages = program.lanes.flatMap(({ instructions }) => instructions.filter((i) => i.kind === 'recv'));
  const backward = messages.filter(({ phase }) => phase === 'backward');
  expect(new Set(backward.map((i) => (i.kind === 'recv' ? i.collective?.seq : undefined))).size).toBe(1);
});
