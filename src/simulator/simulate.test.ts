/** The modelled clock against times worked out by hand, against the textbook's formulas, and against what any schedule must keep. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { naive } from '../collectives/naive';
import { ring } from '../collectives/ring';
import type { ProgramBuilder, Where } from '../program/builder';
import type { Program } from '../program/instruction';
import { HARDWARE, type Hardware } from './hardware';
import { modelledStep, simulate, speedup } from './simulate';
import { EXAMPLE, exampleBuilder } from './testing/example-machine';

const FORWARD: Where = { phase: 'forward', anchor: 'forward' };
const COMM: Where = { ...FORWARD, queue: 'comm' };

/** [start, end] of every instruction of a device, in order. */
function table(program: Program, device: number, hardware: Hardware = EXAMPLE): readonly (readonly [number, number])[] {
  const times = simulate(program, hardware);
  return at(program.lanes, device).instructions.map(({ id }) => {
    const { startUs, durUs } = must(times.get(id), 'timing');
    return [startUs, startUs + durUs] as const;
  });
}

function hop(
  builder: ProgramBuilder,
  from: number,
  to: number,
  length: number,
  apply: 'put' | 'add' = 'put',
  sender: Where = COMM,
): void {
  const slice = { buffer: 'a', offset: 0, length };
  builder.transfer(
    { device: from, slice, where: sender },
    { device: to, slice, where: COMM },
    { name: 'a', payload: 'gradient', apply },
  );
}

describe('one device', () => {
  test('a kernel takes its launch and the longer of arithmetic and memory', () => {
    const builder = exampleBuilder(1, 5);
    builder.lane(0).compute('work', ['a'], ['a'], { flops: 7 }, FORWARD);
    builder.lane(0).compute('work', ['a'], ['a'], { flops: 70 }, FORWARD);
    // 5 floats are 20 bytes: the first is bound by memory, the second by arithmetic.
    expect(table(builder.finish('single', 'full'), 0)).toEqual([
      [0, 30],
      [30, 110],
    ]);
  });

  test('a batch comes from the host; the scalars of a step cost nothing', () => {
    const builder = exampleBuilder(1, 5);
    const load = { buffer: 'a', process: 0, start: 0, count: 1 };
    builder.lane(0).load({ ...load, source: 'inputs' }, FORWARD);
    builder.lane(0).load({ ...load, source: 'scalars' }, FORWARD);
    expect(table(builder.finish('single', 'full'), 0)).toEqual([
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
    const program = builder.finish('single', 'full');
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
    const program = builder.finish('ddp', 'full');
    // 20 bytes at 2 us a byte.
    expect(table(program, 0)).toEqual([[0, 42]]);
    expect(table(program, 1)).toEqual([[0, 44]]);
  });

  test('two messages to one device take turns on its port', () => {
    const builder = exampleBuilder(3, 5);
    hop(builder, 1, 0, 5);
    hop(builder, 2, 0, 5);
    const program = builder.finish('ddp', 'full');
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
    expect(table(builder.finish('ddp', 'full'), 1)).toEqual([
      [0, 100],
      [100, 100],
    ]);
  });

  test('the batch passes through the port of the messages where the machine is built so', () => {
    const builder = exampleBuilder(2, 5);
    hop(builder, 0, 1, 5);
    builder.lane(1).load({ buffer: 'a', process: 0, start: 0, count: 1, source: 'inputs' }, FORWARD);
    const program = builder.finish('ddp', 'full');
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
      group: [...builder.lanes.keys()],
      buffer: 'a',
      length,
      payload: 'gradient',
      seq: 0,
      where: COMM,
    });
    const bytes = 4 * length;
    expect(modelledStep(builder.finish('ddp', 'full'), machine).stepUs).toBeCloseTo(
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
        group: [...builder.lanes.keys()],
        buffer: 'a',
        length: 8,
        payload: 'gradient',
        seq: 0,
        where: COMM,
      });
      const { stepUs } = modelledStep(builder.finish('ddp', 'full'), machine);
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
  return builder.finish('ddp', 'full');
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
  const waiting = builder.finish('ddp', 'full');
  expect(modelledStep(waiting, EXAMPLE).stepUs).toBe(140 + 42 + 44);
  expect(speedup(overlapping, waiting, EXAMPLE)).toBeCloseTo(226 / 184, 9);
});

test('a Program that cannot go on is refused', () => {
  const builder = exampleBuilder(1);
  builder.lane(0).wait('never', FORWARD);
  expect(() => simulate(builder.finish('single', 'full'), EXAMPLE)).toThrow('would hang');
});

/** A random Program that is free of deadlock: instructions are emitted in an order in which they can run. */
const programs = fc
  .record({
    devices: fc.integer({ min: 1, max: 5 }),
    steps: fc.array(
      fc.record({
        kind: fc.nat(3),
        a: fc.nat(7),
        b: fc.nat(7),
        size: fc.integer({ min: 1, max: 50 }),
        comm: fc.boolean(),
      }),
      {
        maxLength: 60,
      },
    ),
  })
  .map(({ devices, steps }) => {
    const builder = exampleBuilder(devices, 64);
    for (const { kind, a, b, size, comm } of steps) {
      const lane = builder.lane(a % devices);
      const where = comm ? COMM : FORWARD;
      if (kind === 0) lane.compute('work', ['a'], ['a'], { flops: size * 20 }, where);
      else if (kind === 1) lane.handOver(comm ? 'compute' : 'comm', comm ? 'comm' : 'compute', where);
      else if (kind === 2) lane.load({ buffer: 'a', source: 'inputs', process: 0, start: 0, count: size }, where);
      else if (devices > 1)
        hop(
          builder,
          a % devices,
          (a + 1 + (b % (devices - 1))) % devices,
          size,
          comm ? 'add' : 'put',
          b > 4 ? FORWARD : COMM,
        );
    }
    return builder.finish('ddp', 'full');
  });

const machines = fc.constantFrom(EXAMPLE, ...Object.values(HARDWARE));

test('nothing starts before what it depends on, and no queue or port does two things at once', () =>
  fc.assert(
    fc.property(programs, machines, (program, hardware) => {
      const times = simulate(program, hardware);
      const of = (id: number) => {
        const { startUs, durUs } = must(times.get(id), 'timing');
        return { startUs, endUs: startUs + durUs };
      };
      const sends = new Map(
        program.lanes.flatMap((lane) =>
          lane.instructions.flatMap((i) => (i.kind === 'send' ? [[i.tag, { i, from: lane.device }] as const] : [])),
        ),
      );
      const tolerance = 1e-9;
      for (const { instructions } of program.lanes) {
        const signalled = new Map<string, number>();
        for (const i of instructions) if (i.signals) signalled.set(i.signals, of(i.id).endUs);
        for (const queue of ['compute', 'comm'] as const) {
          let freeUs = 0;
          for (const i of instructions.filter((one) => one.queue === queue)) {
            const { startUs, endUs } = of(i.id);
            expect(endUs).toBeGreaterThanOrEqual(startUs);
            expect(startUs).toBeGreaterThanOrEqual(freeUs - tolerance);
            freeUs = endUs;
            if (i.kind === 'wait')
              expect(endUs).toBeGreaterThanOrEqual(must(signalled.get(i.event), i.event) - tolerance);
            if (i.kind === 'recv') {
              const send = of(must(sends.get(i.tag), i.tag).i.id);
              expect(startUs).toBeGreaterThanOrEqual(send.startUs - tolerance);
              expect(endUs).toBeGreaterThanOrEqual(send.endUs - tolerance);
            }
          }
        }
      }
      for (const port of ['from', 'to'] as const) {
        for (const device of program.lanes.keys()) {
          const busy = [...sends.values()]
            .filter(({ i, from }) => (port === 'from' ? from : i.peer) === device)
            .map(({ i }) => of(i.id));
          busy.sort((x, y) => x.startUs - y.startUs || x.endUs - y.endUs);
          busy.slice(1).forEach(({ startUs }, k) => {
            expect(startUs).toBeGreaterThanOrEqual(at(busy, k).endUs - tolerance);
          });
        }
      }
    }),
  ));

test('the same Program takes the same time again', () =>
  fc.assert(
    fc.property(programs, machines, (program, hardware) => {
      expect([...simulate(program, hardware)]).toEqual([...simulate(program, hardware)]);
    }),
  ));
