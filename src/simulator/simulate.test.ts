/** The modelled clock against times worked out by hand and against the textbook's formulas. */
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { naive } from '../collectives/naive';
import { ring } from '../collectives/ring';
import type { Program } from '../program/instruction';
import type { Hardware } from './hardware';
import { modelledStep, simulate, speedup } from './simulate';
import { COMM, EXAMPLE, exampleBuilder, FORWARD, hop } from './testing/example-machine';

/** [start, end] of every instruction of a device, in order. */
function table(program: Program, device: number, hardware: Hardware = EXAMPLE): readonly (readonly [number, number])[] {
  const times = simulate(program, hardware);
  return at(program.lanes, device).instructions.map(({ id }) => {
    const { startUs, durUs } = must(times.get(id), 'timing');
    return [startUs, startUs + durUs] as const;
  });
}

describe('one device', () => {
  test('a kernel takes its launch and the longer of arithmetic and memory', () => {
    const builder = exampleBuilder(1, 5);
    builder.lane(0).compute('work', ['a'], ['a'], { flops: 7 }, FORWARD);
    builder.lane(0).compute('work', ['a'], ['a'], { flops: 70 }, FORWARD);
    // 5 floats are 20 bytes: the first is bound by memory, the second by arithmetic.
    expect(table(builder.finish('single'), 0)).toEqual([
      [0, 30],
      [30, 110],
    ]);
  });

  test('a batch comes from the host; the scalars of a step cost nothing', () => {
    const builder = exampleBuilder(1, 5);
    const load = { buffer: 'a', start: 0, count: 1 };
    builder.lane(0).load({ ...load, source: 'inputs' }, FORWARD);
    builder.lane(0).load({ ...load, source: 'scalars' }, FORWARD);
    expect(table(builder.finish('single'), 0)).toEqual([
      [0, 30],
      [30, 30],
    ]);
  });

  test('the queues run side by side, and a wait holds one until the other has signalled', () => {
    const builder = exampleBuilder(1, 5);
    const lane = builder.lane(0);
    lane.compute('work', ['a'], ['a'], { flops: 20 }, { ...FORWARD, signals: 'ready' });
    lane.compute('work', ['a'], ['a'], { flops: 20 }, COMM);
    lane.wait('ready', COMM);
    lane.compute('work', ['a'], ['a'], { flops: 20 }, COMM);
    lane.compute('work', ['a'], ['a'], { flops: 40 }, FORWARD);
    const program = builder.finish('single');
    expect(table(program, 0)).toEqual([
      [0, 30],
      [0, 30],
      [30, 30],
      [30, 60],
      [30, 80],
    ]);
    expect(modelledStep(program, EXAMPLE)).toEqual({
      stepUs: 80,
      perDevice: [{ device: 0, computeUs: 80, commUs: 60 }],
    });
  });
});

describe('messages', () => {
  test('alpha plus bytes over beta; half of alpha is the sender’s', () => {
    const builder = exampleBuilder(2, 5);
    hop(builder, 0, 1, 5);
    const program = builder.finish('ddp');
    // 20 bytes at 2 us per byte.
    expect(table(program, 0)).toEqual([[0, 42]]);
    expect(table(program, 1)).toEqual([[0, 44]]);
  });

  test('two messages to one device take turns on its port', () => {
    const builder = exampleBuilder(3, 5);
    hop(builder, 1, 0, 5);
    hop(builder, 2, 0, 5);
    const program = builder.finish('ddp');
    expect(table(program, 1)).toEqual([[0, 42]]);
    expect(table(program, 2)).toEqual([[42, 84]]);
    expect(table(program, 0)).toEqual([
      [0, 44],
      [44, 86],
    ]);
  });

  test('a receive that its device reaches late takes what has arrived at once', () => {
    const builder = exampleBuilder(2, 5);
    builder.lane(1).compute('work', ['a'], ['a'], { flops: 90 }, COMM);
    hop(builder, 0, 1, 5);
    expect(table(builder.finish('ddp'), 1)).toEqual([
      [0, 100],
      [100, 100],
    ]);
  });

  test('the batch passes through the port of the messages where the machine is built so', () => {
    const builder = exampleBuilder(2, 5);
    hop(builder, 0, 1, 5);
    builder.lane(1).load({ buffer: 'a', start: 0, count: 1, source: 'inputs' }, FORWARD);
    const program = builder.finish('ddp');
    expect(table(program, 1)[1]).toEqual([0, 30]);
    expect(table(program, 1, { ...EXAMPLE, hostSharesLink: true })[1]).toEqual([42, 72]);
  });
});

describe('collectives against the closed form', () => {
  // Memory keeps up with the link, as it does on every real machine: sums are taken as bytes arrive.
  const machine: Hardware = { ...EXAMPLE, memoryBytesPerSecond: 10e6 };
  const alpha = machine.linkLatencyUs;
  const perByte = 2;

  test.each([2, 3, 4, 8])('ring of %i ranks: 2(N-1)(alpha + S/(N beta))', (n) => {
    const length = 4 * n;
    const builder = exampleBuilder(n, length);
    ring.emit({
      builder,
      group: builder.mesh.world,
      op: 'allReduce',
      input: 'a',
      length,
      payload: 'gradient',
      where: COMM,
    });
    const bytes = 4 * length;
    expect(modelledStep(builder.finish('ddp'), machine).stepUs).toBeCloseTo(
      2 * (n - 1) * (alpha + (bytes / n) * perByte),
      6,
    );
  });

  test.each([2, 3, 4, 8])(
    'naive with %i ranks: the root’s port carries the buffer N-1 times in and N-1 times out',
    (n) => {
      const builder = exampleBuilder(n, 8);
      naive.emit({
        builder,
        group: builder.mesh.world,
        op: 'allReduce',
        input: 'a',
        length: 8,
        payload: 'gradient',
        where: COMM,
      });
      const { stepUs } = modelledStep(builder.finish('ddp'), machine);
      // Half of each last alpha passes on the way.
      expect(stepUs).toBeCloseTo(2 * ((n - 1) * (alpha / 2 + 32 * perByte) + alpha / 2), 6);
    },
  );
});

/** Two ranks, two buckets: the first may be reduced while the second gradient is computed. */
function twoBuckets(): Program {
  const builder = exampleBuilder(2, 5);
  const compute = (signals: string) => {
    for (const lane of builder.lanes) lane.compute('work', ['a'], ['a'], { flops: 60 }, { ...FORWARD, signals });
  };
  const reduce = (event: string) => {
    for (const lane of builder.lanes) lane.wait(event, COMM);
    hop(builder, 0, 1, 5);
  };
  compute('first');
  reduce('first');
  compute('second');
  reduce('second');
  return builder.finish('ddp');
}

test('a Program that waits for all gradients first takes longer than one that overlaps', () => {
  const overlapping = twoBuckets();
  expect(modelledStep(overlapping, EXAMPLE).stepUs).toBe(140 + 44);

  const builder = exampleBuilder(2, 5);
  for (const lane of builder.lanes) {
    lane.compute('work', ['a'], ['a'], { flops: 60 }, FORWARD);
    lane.compute('work', ['a'], ['a'], { flops: 60 }, { ...FORWARD, signals: 'all' });
    lane.wait('all', COMM);
  }
  hop(builder, 0, 1, 5);
  hop(builder, 0, 1, 5);
  const waiting = builder.finish('ddp');
  expect(modelledStep(waiting, EXAMPLE).stepUs).toBe(140 + 42 + 44);
  expect(speedup(overlapping, waiting, EXAMPLE)).toBeCloseTo(226 / 184, 9);
});

test('a Program that cannot go on is refused', () => {
  const builder = exampleBuilder(1);
  builder.lane(0).wait('never', FORWARD);
  expect(() => simulate(builder.finish('single'), EXAMPLE)).toThrow('would hang');
});
