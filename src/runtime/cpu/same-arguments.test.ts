/**
 * A kernel gets one arguments object for all steps, whether the peers of its lane are here or elsewhere: so it finds
 * what it planned for them (CpuScratch.plan) and a step makes neither.
 */
import { expect, test } from 'vitest';
import { CpuScratch } from '../../graph/cpu-scratch';
import type { CpuArgs, OpTable } from '../../graph/op';
import { PROGRAM_OPS } from '../../parallel/modes';
import { memoryTransport } from '../webgpu/testing/memory-transport';
import { testRun, writeParameters } from '../webgpu/testing/programs';
import { createCpuExecutor } from './cpu-executor';

const STEPS = 3;

/** The operators, which note what they are given. */
function noting(seen: Set<CpuArgs>): OpTable {
  const noted = [...PROGRAM_OPS].map(([name, op]) => {
    const cpu = (args: CpuArgs): void => {
      seen.add(args);
      op.cpu(args);
    };
    return [name, { ...op, cpu }] as const;
  });
  return new Map(noted);
}

test.each([
  ['here', 1],
  ['elsewhere', 2],
] as const)('peers %s', async (_where, count) => {
  const run = testRun({ mode: 'ddp', worldSize: 2, batchSize: 8 });
  const seen = new Set<CpuArgs>();
  const ops = noting(seen);
  const transport = memoryTransport();
  const hosted = count === 1 ? [run.devices] : run.devices.map((device) => [device]);
  const executors = hosted.map((devices) => createCpuExecutor({ programs: run.programs, devices, ops, transport }));
  executors.forEach((executor, i) => {
    writeParameters(executor, run, hosted[i]);
  });
  const step = (i: number) => Promise.all(executors.map((own) => own.step(run.full, run.feed(i))));
  await step(1);
  const known = new Set(seen);
  expect(known.size).toBeGreaterThan(0);
  for (let i = 2; i < 2 + STEPS; i++) await step(i);
  expect(seen.size).toBe(known.size);
});

test('a plan is made once for the same arguments', () => {
  const scratch = new CpuScratch();
  const args = {};
  let made = 0;
  const plan = () => ({ number: made++ });
  expect(scratch.plan(args, plan)).toBe(scratch.plan(args, plan));
  expect(scratch.plan({}, plan)).not.toBe(scratch.plan(args, plan));
  expect(made).toBe(2);
});
