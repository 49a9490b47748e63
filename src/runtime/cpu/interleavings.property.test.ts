/**
 * Every order that the queues allow computes the same bits: real Programs run on the planned memory in random orders,
 * after the shared slots were overwritten, and the result is compared with the CPU executor. One test copies a message
 * when it is received, as devices with shared memory do (then a writer waits until it has been received); the other
 * test copies it when it is sent, as between workers.
 *
 * @module-tag rest: worlds.test.ts runs the Programs in two orders, in one thread and in workers.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { CpuScratch } from '../../graph/cpu-scratch';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Instruction, Program } from '../../program/instruction';
import { writesInto } from '../../program/instruction-access';
import { planMemory } from '../../program/memory-planner';
import { programOf } from '../../program/program-of';
import { type Ran, randomOrder } from '../../program/testing/random-order';
import { ALGORITHM_NAMES } from '../../protocol/collective';
import { programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import { toCsv } from '../../schedules/schedule-text';
import { randomSchedules } from '../../schedules/testing/random-schedule';
import type { HostArray } from '../../tensor/shape';
import { readParameters, type TestRun, testRun, writeParameters } from '../webgpu/testing/programs';
import { computeAction, loadAction, receive, sliceOf } from './cpu-actions';
import { createCpuExecutor } from './cpu-executor';
import { createCpuMemory } from './cpu-memory';

const STEPS = 2;
type Copied = 'when received' | 'when sent';

function train(run: TestRun, copied: Copied, choose: (n: number) => number): Float32Array[] {
  const plans = planMemory(run.programs);
  const memory = new Map([...plans].map(([device, plan]) => [device, createCpuMemory(run.programs, plan)]));
  const of = (device: DeviceIndex) => must(memory.get(device), `cuda:${device}`);
  for (const { device, buffer, data } of run.parameters) of(device).persistent(buffer).set(data);
  for (let step = 0; step < STEPS; step++) {
    const program = programOf(run.programs, run.programAt(step));
    poison(program, (device, buffer) => of(device).array(programKey(program.kind), buffer));
    const posted = new Map<string, { from: DeviceIndex; instruction: Instruction; data: HostArray }>();
    const ready = ({ device, instruction }: Ran): boolean =>
      copied === 'when sent' ||
      [...posted.values()].every(
        ({ from, instruction: sent }) =>
          sent.kind !== 'send' ||
          from !== device ||
          (instruction.kind === 'recv' && instruction.tag === sent.tag) ||
          !writesInto(instruction, sent.slice),
      );
    const perform = ({ device, instruction }: Ran): void => {
      const array = (name: string) => of(device).array(programKey(program.kind), name);
      if (instruction.kind === 'compute') {
        const lane = must(
          program.lanes.find((l) => l.device === device),
          'lane',
        );
        computeAction(instruction, lane, array, { ops: PROGRAM_OPS, scratch: new CpuScratch() })();
      } else if (instruction.kind === 'load') loadAction(instruction, device, array, () => run.feed(step))();
      else if (instruction.kind === 'send') {
        const slice = sliceOf(instruction, array);
        posted.set(instruction.tag, {
          from: device,
          instruction,
          data: copied === 'when sent' ? slice.slice() : slice,
        });
      } else if (instruction.kind === 'recv') {
        const { data } = must(posted.get(instruction.tag), instruction.tag);
        receive(sliceOf(instruction, array), data, instruction, undefined);
        posted.delete(instruction.tag);
      }
    };
    randomOrder(program, choose, ready, perform);
  }
  return run.parameters.map(({ device, buffer }) => Float32Array.from(of(device).persistent(buffer)));
}

function poison(program: Program, array: (device: DeviceIndex, buffer: string) => HostArray): void {
  for (const { device, buffers } of program.lanes)
    for (const { name, persistent, dtype } of buffers)
      if (!persistent) array(device, name).fill(dtype === 'f32' ? Number.NaN : -1);
}

async function expected(run: TestRun): Promise<Float32Array[]> {
  const executor = createCpuExecutor({ programs: run.programs, devices: run.devices, ops: PROGRAM_OPS });
  writeParameters(executor, run);
  for (let step = 0; step < STEPS; step++) await executor.step(run.programAt(step), run.feed(step));
  return readParameters(executor, run);
}

const runs = fc
  .record({
    mode: fc.constantFrom(
      'single' as const,
      'dataParallel' as const,
      'ddp' as const,
      'modelParallel' as const,
      'pipeline' as const,
      'sharded' as const,
      'tensor' as const,
    ),
    schedule: randomSchedules({ ranks: 4, stagesPerRank: 2, microBatches: 3 }),
    replicas: fc.integer({ min: 1, max: 2 }),
    widths: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 }),
    world: fc.integer({ min: 1, max: 6 }),
    batch: fc.integer({ min: 6, max: 80 }),
    cap: fc.constantFrom(0.00002, 0.0005, 1),
    algorithm: fc.constantFrom(...ALGORITHM_NAMES),
    overlap: fc.boolean(),
  })
  .map(({ mode, schedule, replicas, widths: drawn, world, batch, cap, algorithm, overlap }) => {
    // A pipeline has a layer for each stage.
    const widths =
      mode === 'pipeline' ? Array.from({ length: schedule.stages + 1 }, (_, i) => at(drawn, i % 2)) : drawn;
    const worlds = { modelParallel: Math.min(world, widths.length - 1), pipeline: schedule.ranks * replicas };
    return testRun(
      {
        mode,
        worldSize: mode === 'modelParallel' || mode === 'pipeline' ? worlds[mode] : world,
        ...(mode === 'pipeline'
          ? {
              mesh: { dp: replicas },
              pipeline: { schedule: 'own' as const, actions: toCsv(schedule), microBatches: schedule.microBatches },
            }
          : {}),
        batchSize: batch,
        optimizer: { type: 'SGD', momentum: 0.9 },
        ddp: { bucketCapMb: cap, algorithm, overlap },
      },
      widths.slice(1).flatMap((out, i) => [{ type: 'Linear', in: at(widths, i), out }, { type: 'Tanh' }]),
    );
  });

test.each(['when received', 'when sent'] as const)(
  'a message copied %s: any legal order, the same bits',
  async (copied) => {
    await fc.assert(
      fc.asyncProperty(runs, fc.infiniteStream(fc.nat()), async (run, choices) => {
        const actual = train(run, copied, (n) => must(choices.next().value, 'choice') % n);
        const wanted = await expected(run);
        expect(wanted.flatMap((values) => [...values]).every(Number.isFinite)).toBe(true);
        expect(actual).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  },
);
