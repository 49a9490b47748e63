/** Which computations several devices do with the same values, and that equal numbers mean equal bits. */
import { describe, expect, it } from 'vitest';
import { at } from '../base/invariant';
import { PROGRAM_OPS } from '../parallel/modes';
import type { Mode } from '../protocol/config';
import { createCpuExecutor } from '../runtime/cpu/cpu-executor';
import { type TestRun, testRun, writeParameters } from '../runtime/webgpu/testing/programs';
import { foldMovements } from './fold-movements';
import type { Program } from './instruction';
import { linearize } from './linearize';
import { programOf } from './program-of';
import { type SameContents, sameValues } from './same-values';
import { keyOf } from './symbolic-memory';

const persistent = (programs: readonly Program[]) =>
  programs.flatMap(({ lanes }) =>
    lanes.flatMap(({ device, buffers }) =>
      buffers.filter((b) => b.persistent).map(({ name }) => ({ device, buffer: name })),
    ),
  );

/** Every buffer is equal on all devices. */
const allEqual = (run: TestRun): SameContents => {
  const names = [...new Set(persistent(run.programs).map(({ buffer }) => buffer))];
  return new Map(persistent(run.programs).map((place) => [keyOf(place), names.indexOf(place.buffer)]));
};

function found(program: Program, before: SameContents, { fold = true, sameScalars = true } = {}) {
  const rounds = linearize(program, { group: true });
  const steps = fold ? foldMovements(program, rounds, PROGRAM_OPS, () => 'one') : rounds;
  const { repeated, after } = sameValues(program, steps, PROGRAM_OPS, { before, sameScalars });
  const groups = [...repeated.values()]
    .flat()
    .filter(({ others }) => others.length > 0)
    .map(({ first, others }) => [
      first.instruction.op,
      [first.device, ...others.map(({ device }) => device)].join('='),
    ]);
  return { groups, after };
}

const ddp = testRun({ mode: 'ddp', worldSize: 4, batchSize: 8, optimizer: { type: 'SGD' } });

describe('DDP', () => {
  const program = at(ddp.programs, 0);

  it.each([true, false])('updates equal replicas once (folds: %s)', (fold) => {
    expect(found(program, allEqual(ddp), { fold }).groups).toEqual([['optim/sgd', '0=1=2=3']]);
  });

  it('updates a replica whose weights differ by itself, although the gradients are equal', () => {
    const before = new Map([...allEqual(ddp), [keyOf({ device: 2, buffer: '0.weight' }), -1]]);
    const { groups, after } = found(program, before);
    expect(groups).toEqual([['optim/sgd', '0=1=3']]);
    const number = (device: number, buffer: string) => after.get(keyOf({ device, buffer }));
    expect(number(2, '0.weight')).not.toBe(number(1, '0.weight'));
    expect(number(3, '0.weight')).toBe(number(1, '0.weight'));
    expect(number(2, '0.weight.grad')).toBe(number(1, '0.weight.grad'));
  });

  it('updates every replica by itself if the ranks have scalars of their own', () => {
    expect(found(program, allEqual(ddp), { sameScalars: false }).groups).toEqual([]);
  });
});

const SETTINGS = { batchSize: 12, optimizer: { type: 'SGD', momentum: 0.9 } } as const;

it.each<[Mode, number]>([
  ['single', 1],
  ['dataParallel', 3],
  ['ddp', 3],
  ['sharded', 2],
  ['tensor', 2],
  ['pipeline', 2],
])('%s: buffers with equal numbers hold equal bits', async (mode, worldSize) => {
  const run = testRun({ mode, worldSize, ...SETTINGS });
  const executor = createCpuExecutor({ programs: run.programs, devices: run.devices, ops: PROGRAM_OPS });
  writeParameters(executor, run);
  // The host gives equal weights, and nothing else is written yet.
  let contents = allEqual(run);
  for (let step = 0; step < 3; step++) {
    const key = run.programAt(step);
    const program = programOf(run.programs, key);
    contents = found(program, contents).after;
    await executor.step(key, run.feed(step));
    const places = persistent(run.programs);
    const held = await executor.read(places, 'bits');
    const first = new Map<number, Float32Array>();
    places.forEach((place, k) => {
      const number = contents.get(keyOf(place)) ?? -1;
      const bits = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
      const known = first.get(number) ?? at(held, k);
      first.set(number, known);
      expect(Buffer.compare(bits(known), bits(at(held, k)))).toBe(0);
    });
  }
  executor.dispose();
});
