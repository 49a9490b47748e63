/**
 * Who may share memory with whom. Random Programs are run in random legal orders, and no two buffers of a slot may be
 * alive at the same moment in any of them; small Programs by hand say what must be shared and what must not.
 */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { OpDef } from '../graph/op';
import { initDeviceMesh } from '../mesh/device-mesh';
import { programKey, type StepKind } from '../protocol/step-kind';
import type { MemoryCategory } from '../protocol/trace';
import { ProgramBuilder } from './builder';
import type { Program } from './instruction';
import type { Where } from './lane-builder';
import { planMemory } from './memory-planner';
import { deviceMemory, verifyMemory } from './memory-report';
import { lifetimesCollide, randomOrder } from './testing/random-order';
import { shareSlotsPlainly } from './testing/share-slots-plainly';

const step: OpDef = { name: 'step', infer: (inputs) => inputs, cpu() {}, lower: () => [], flops: () => 1 };
const OPS = new Map([['step', step]]);
const COMPUTE: Where = { phase: 'forward', anchor: 'x' };
const COMM: Where = { ...COMPUTE, queue: 'comm' };

function builderOf(devices: number, buffers: readonly string[], length = (_: string) => 64): ProgramBuilder {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: devices }), OPS);
  for (const lane of builder.lanes)
    for (const name of buffers)
      lane.buffer({ name, shape: [length(name)], dtype: 'f32', category: 'activation', persistent: false });
  return builder;
}

const slotOf = (program: Program, device: number, buffer: string): number | undefined =>
  planMemory([program]).get(device)?.placements.get(programKey(program.kind))?.get(buffer)?.region;
const bytesOf = (program: Program, device = 0): number => must(planMemory([program]).get(device), 'plan').bytes;

describe('buffers of one device', () => {
  test('a chain needs two slots, however long it is', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const builder = builderOf(1, names);
    names.slice(1).forEach((name, i) => {
      builder.lane(0).compute('step', [at(names, i)], [name], {}, COMPUTE);
    });
    expect(bytesOf(builder.finish('single'))).toBe(2 * 256);
  });

  test('a slot is as large as its largest buffer, over all Programs of the set', () => {
    const chain = (rows: number, name: string) => {
      const builder = builderOf(1, ['a', 'b', 'c'], (name) => (name === 'b' ? 64 : 64 * rows));
      builder.lane(0).compute('step', ['a'], ['b'], {}, COMPUTE);
      builder.lane(0).compute('step', ['b'], ['c'], {}, COMPUTE);
      return builder.finish('single', { type: 'alone', name });
    };
    const programs = [chain(4, 'full'), chain(2, 'last')];
    expect(must(planMemory(programs).get(0), 'plan').bytes).toBe(4 * 256 + 256);
    const { peakBytes, byCategory } = deviceMemory(programs, must(planMemory(programs).get(0), 'plan'), 1e9);
    expect(peakBytes).toBe(1280);
    expect(Object.values(byCategory).reduce((a, b) => a + b, 0)).toBe(peakBytes);
  });

  test('queues that do not wait for each other share nothing; after a wait they may', () => {
    const two = (waits: boolean): Program => {
      const builder = builderOf(1, ['a', 'b']);
      const lane = builder.lane(0);
      lane.compute('step', ['a'], ['a'], {}, COMPUTE);
      if (waits) lane.handOver('compute', 'comm', COMM);
      lane.compute('step', ['b'], ['b'], {}, COMM);
      return builder.finish('single');
    };
    expect(bytesOf(two(false))).toBe(512);
    expect(bytesOf(two(true))).toBe(256);
  });
});

describe('a buffer that is sent', () => {
  /**
   * Device 0 sends `a` and then works on `b`; device 1 receives and, with `answers`, says so before device 0 works on
   * `b`.
   */
  const sent = (answers: boolean): Program => {
    const builder = builderOf(2, ['a', 'b']);
    const [zero, one] = [builder.lane(0), builder.lane(1)];
    zero.compute('step', ['a'], ['a'], {}, COMM);
    const end = (lane: typeof zero, buffer: string) => ({
      device: lane.device,
      slice: lane.whole(buffer),
      where: COMM,
    });
    builder.transfer(end(zero, 'a'), end(one, 'a'), { name: 'a', payload: 'activation' });
    if (answers) builder.transfer(end(one, 'a'), end(zero, 'b'), { name: 'answer', payload: 'activation' });
    zero.compute('step', ['b'], ['b'], {}, COMM);
    return builder.finish('test');
  };
  test('keeps its memory until it has been received: a send does not wait for its receiver', () => {
    expect(slotOf(sent(false), 0, 'a')).not.toBe(slotOf(sent(false), 0, 'b'));
  });
  test('frees its memory after an event that follows the receive', () => {
    expect(slotOf(sent(true), 0, 'a')).toBe(slotOf(sent(true), 0, 'b'));
  });
});

test('persistent buffers keep their place in every Program of the set, pools lie in one region', () => {
  const kindOf = (name: string): StepKind => ({ type: 'alone', name });
  const program = (kind: string, names: readonly string[]): Program => {
    const builder = new ProgramBuilder(initDeviceMesh(), OPS);
    const category: MemoryCategory = 'parameter';
    for (const name of names)
      builder.lane(0).buffer({ name, shape: [65], dtype: 'f32', category, persistent: true, pool: 'parameters' });
    return builder.finish('single', kindOf(kind));
  };
  const { placements, regions, bytes } = must(
    planMemory([program('full', ['w', 'b']), program('construct', ['b'])]).get(0),
    'plan',
  );
  expect(placements.get(programKey(kindOf('construct')))?.get('b')).toEqual(
    placements.get(programKey(kindOf('full')))?.get('b'),
  );
  expect(regions.map((r) => r.key)).toEqual(['pool:parameters']);
  expect(bytes).toBe(2 * 512);
});

/** Emitted in an order in which it can run, so it is free of deadlock; buffers are used at random. */
const programs = fc
  .record({
    devices: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(fc.record({ kind: fc.nat(3), a: fc.nat(9), b: fc.nat(9), c: fc.nat(9), comm: fc.boolean() }), {
      maxLength: 40,
    }),
  })
  .map(({ devices, steps }) => {
    const names = Array.from({ length: 10 }, (_, i) => `b${i}`);
    const builder = builderOf(devices, names, (name) => 64 * (1 + (name.charCodeAt(1) % 3)));
    for (const { kind, a, b, c, comm } of steps) {
      const lane = builder.lane(a % devices);
      const where = comm ? COMM : COMPUTE;
      if (kind < 2) lane.compute('step', [at(names, b)], [at(names, c)], {}, where);
      else if (kind === 2) lane.handOver(comm ? 'compute' : 'comm', comm ? 'comm' : 'compute', where);
      else if (devices > 1) {
        const slice = (name: string) => ({ buffer: name, offset: 0, length: 64 });
        builder.transfer(
          { device: lane.device, slice: slice(at(names, b)), where },
          { device: (a + 1 + (c % (devices - 1))) % devices, slice: slice(at(names, c)), where },
          { name: 'hop', payload: 'activation' },
        );
      }
    }
    return builder.finish('test');
  });

test('no order that the queues allow ever holds two buffers of a slot at once', () => {
  void fc.assert(
    fc.property(programs, fc.infiniteStream(fc.nat()), (program, choices) => {
      const order = randomOrder(program, (n) => (choices.next().value ?? 0) % n);
      expect(lifetimesCollide(program, planMemory([program]), order)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('a set of Programs is refused where the plan of a device is larger than the budget, and nowhere else', () => {
  void fc.assert(
    fc.property(programs, (program) => {
      const most = Math.max(...[...planMemory([program]).values()].map(({ bytes }) => bytes));
      expect(() => verifyMemory([program, program], most)).not.toThrow();
      if (most > 0) expect(() => verifyMemory([program], most - 1)).toThrow(/CUDA out of memory/);
    }),
    { numRuns: 100 },
  );
});

test('the slots are those of comparing every use of every two buffers', () => {
  void fc.assert(
    fc.property(programs, (program) => {
      for (const lane of program.lanes) {
        const slots = new Map<number, string[]>();
        for (const { name } of lane.buffers) {
          const slot = must(slotOf(program, lane.device, name), name);
          slots.set(slot, [...(slots.get(slot) ?? []), name]);
        }
        const sorted = (all: Iterable<readonly string[]>) =>
          [...all].map((names) => names.toSorted().join()).toSorted();
        expect(sorted(slots.values())).toEqual(sorted(shareSlotsPlainly(program, lane)));
      }
    }),
    { numRuns: 300 },
  );
});
