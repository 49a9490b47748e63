/**
 * DDP's replicas in one memory: the optimiser steps one of them, and the others are copies. The bits are those of ranks
 * that share no memory, where every rank computes for itself.
 */
import { expect, it } from 'vitest';
import type { OpTable } from '../../graph/op';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Executor } from '../executor';
import { memoryTransport } from '../webgpu/testing/memory-transport';
import { type TestRun, testRun, writeParameters } from '../webgpu/testing/programs';
import { createCpuExecutor } from './cpu-executor';

const STEPS = 5;
const RANKS = 4;
const always = (count: number): number[] => Array.from({ length: STEPS }, () => count);
/** Long enough for copies to be worth it. */
const LAYERS = [{ type: 'Linear', in: 70, out: 60 }, { type: 'Tanh' }, { type: 'Linear', in: 60, out: 3 }];
const SETTINGS = { mode: 'ddp', worldSize: RANKS, batchSize: 8 } as const;

/** What happens before a step, on the executor of the last rank. */
type Meanwhile = (executor: Executor, run: TestRun, step: number) => unknown;

/** The operators, which count the optimiser's steps. */
function counting(): { readonly ops: OpTable; steps: number } {
  const counted = {
    steps: 0,
    ops: new Map(
      [...PROGRAM_OPS].map(([name, op]) => {
        const cpu: typeof op.cpu = (args) => {
          if (name.startsWith('optim/')) counted.steps++;
          op.cpu(args);
        };
        return [name, { ...op, cpu }];
      }),
    ),
  };
  return counted;
}

/** The persistent buffers of all ranks after some steps, as bits, and the optimiser's steps in each of them. */
async function train(run: TestRun, place: 'together' | 'apart', meanwhile: Meanwhile = () => undefined) {
  const counted = counting();
  const transport = memoryTransport();
  const hosted = place === 'together' ? [run.devices] : run.devices.map((device) => [device]);
  const executors = hosted.map((devices) =>
    createCpuExecutor({ programs: run.programs, devices, ops: counted.ops, transport }),
  );
  executors.forEach((executor, i) => {
    writeParameters(executor, run, hosted[i]);
  });
  const steps: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const before = counted.steps;
    await Promise.all(executors.slice(-1).map((executor) => meanwhile(executor, run, step)));
    await Promise.all(executors.map((executor) => executor.step(run.programAt(step), run.feed(step))));
    steps.push(counted.steps - before);
  }
  const held = await Promise.all(
    executors.map((executor, i) =>
      executor.read(
        (run.programs[0]?.lanes ?? [])
          .filter(({ device }) => hosted[i]?.includes(device))
          .flatMap(({ device, buffers }) =>
            buffers.filter((b) => b.persistent).map((b) => ({ device, buffer: b.name })),
          ),
        'bits',
      ),
    ),
  );
  for (const executor of executors) executor.dispose();
  return {
    steps,
    held: held
      .flat()
      .map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString('hex')),
  };
}

it.each([{ type: 'SGD' }, { type: 'SGD', momentum: 0.9 }, { type: 'Adam' }] as const)(
  'the optimiser steps one of the equal replicas: $type $momentum',
  async (optimizer) => {
    const run = testRun({ ...SETTINGS, optimizer }, LAYERS);
    const [together, apart] = [await train(run, 'together'), await train(run, 'apart')];
    expect(together.held).toEqual(apart.held);
    expect(together.steps).toEqual(always(1));
    expect(apart.steps).toEqual(always(RANKS));
  },
);

/** Changes the last rank only: before step 2 the host writes, or the last message of that step is falsified. */
const changes: readonly [string, Meanwhile, readonly number[]][] = [
  [
    'the host writes other weights',
    (executor, { parameters }, step) => {
      const weight = parameters.findLast(({ buffer }) => buffer === '0.weight');
      if (step !== 2 || !weight) return;
      executor.write(
        weight.device,
        weight.buffer,
        weight.data.map((w) => w + 1),
      );
    },
    [1, 1, 2, 2, 2],
  ],
  [
    'a message to it is falsified',
    (executor, { programs }, step) => {
      const received = programs[0]?.lanes.at(-1)?.instructions.findLast(({ kind }) => kind === 'recv');
      if (received?.kind !== 'recv') throw new Error('no message');
      executor.corrupt(step === 2 ? { tag: received.tag, add: 1 } : undefined);
    },
    [1, 1, RANKS, RANKS, RANKS],
  ],
];

it.each(changes)('a replica that differs is stepped by itself: %s', async (_how, meanwhile, steps) => {
  const run = testRun({ ...SETTINGS, optimizer: { type: 'SGD', momentum: 0.9 } }, LAYERS);
  const [together, apart] = [await train(run, 'together', meanwhile), await train(run, 'apart', meanwhile)];
  expect(together.held).toEqual(apart.held);
  expect(together.steps).toEqual(steps);
});

it('in a traced step every rank computes, and the replicas stay equal', async () => {
  const trace: Meanwhile = (executor, { full, feed }, step) => step === 2 && executor.trace(full, feed(step));
  expect((await train(testRun(SETTINGS, LAYERS), 'together', trace)).steps).toEqual([1, 1, RANKS + 1, 1, 1]);
});

it('a net whose copies would not be faster is stepped by every rank', async () => {
  expect((await train(testRun(SETTINGS), 'together')).steps).toEqual(always(RANKS));
});

/** Ranks whose weights, buffers or gradients may differ, with nets that are long enough for copies. */
it.each([
  { ddp: { rankSeeds: 'beforeModel', initSync: false } },
  { ddp: { commHook: { type: 'localSGD', startLocalSGDIter: 2, period: 2 } } },
  { ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 2 } } },
  { accumulate: 2 },
] as const)('the bits of ranks by themselves: %o', async (settings) => {
  const run = testRun({ ...SETTINGS, ...settings }, LAYERS);
  const own = { ...run, parameters: run.parameters.map((p) => ({ ...p, data: p.data.map((w) => w + p.device) })) };
  for (const one of [run, own]) expect((await train(one, 'together')).held).toEqual((await train(one, 'apart')).held);
});
