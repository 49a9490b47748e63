/**
 * What the times of any Program on any machine must keep: order, causality, and one thing at a time on a queue and on a
 * port.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { linearize } from '../program/linearize';
import { linearizePlainly } from '../program/testing/linearize-plainly';
import { HARDWARE } from './hardware';
import { simulate } from './simulate';
import { slownessOf } from './slowness';
import { COMM, EXAMPLE, exampleBuilder, FORWARD, hop } from './testing/example-machine';
import { PlainSimulation } from './testing/simulate-plainly';

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
      else if (kind === 2) lane.load({ buffer: 'a', source: 'inputs', start: 0, count: size }, where);
      else if (devices > 1)
        hop(builder, a % devices, (a + 1 + (b % (devices - 1))) % devices, size, {
          apply: comm ? 'add' : 'put',
          sender: b > 4 ? FORWARD : COMM,
        });
    }
    return builder.finish('ddp');
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

test('checking only the affected queues gives the same times as checking all queues', () =>
  fc.assert(
    fc.property(programs, machines, (program, hardware) => {
      const plainly = new PlainSimulation(program, hardware, slownessOf([])).run().times;
      expect(simulate(program, hardware)).toEqual(plainly);
    }),
  ));

test.each([true, false])('linearize, grouping %s, gives the steps of its plain version', (group) =>
  fc.assert(
    fc.property(programs, (program) => {
      const plainly = linearizePlainly(program, { group });
      const all = program.lanes.flatMap(({ instructions }) => instructions);
      const inSteps = all.filter(({ kind }) => kind !== 'send' && kind !== 'wait').length;
      // A receive that would overwrite what its device still has to send can hang.
      if (plainly.flat().length < inSteps) {
        expect(() => linearize(program, { group })).toThrow('would hang');
        return;
      }
      const steps = linearize(program, { group });
      const ids = steps.map(({ items }) => items.map((i) => ('recv' in i ? i.recv : i).instruction.id));
      expect(ids).toEqual(plainly);
    }),
  ),
);
