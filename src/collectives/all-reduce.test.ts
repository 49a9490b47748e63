/**
 * Both all-reduces, run on the CPU executor: right for every size and world, the same bytes on all ranks, the ring bit
 * for bit as gloo's.
 */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { initDeviceMesh } from '../mesh/device-mesh';
import { ProgramBuilder } from '../program/builder';
import { linearize } from '../program/linearize';
import { verify } from '../program/verifier';
import { decodeF32 } from '../tensor/fixtures/decode';
import type { Algorithm } from './collective';
import fixtures from './fixtures/collectives.json';
import { naive } from './naive';
import { chunkSlice, ring } from './ring';

const NO_OPS = new Map();

/** Executes the transfers of a Program on plain arrays. */
function allReduce(algorithm: Algorithm, inputs: readonly Float32Array[]) {
  const length = at(inputs, 0).length;
  const group = inputs.map((_, r) => r);
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: group.length }), NO_OPS);
  for (const lane of builder.lanes)
    lane.buffer({ name: 'b', shape: [length], dtype: 'f32', category: 'bucket', persistent: true });
  algorithm.emit({
    builder,
    op: 'allReduce',
    group: builder.mesh.world,
    input: 'b',
    length,
    payload: 'gradient',
    where: { phase: 'reduce', anchor: 'allreduce', queue: 'comm' },
  });
  const program = builder.finish('test');
  verify(program, NO_OPS);
  const memory = inputs.map((input) => Float32Array.from(input));
  const sent = inputs.map(() => 0);
  for (const step of linearize(program, { group: true })) {
    if (step.kind !== 'transfer') continue;
    const taken = step.items.map(({ send }) => {
      const { offset, length: n } = send.instruction.slice;
      sent[send.device] = at(sent, send.device) + 4 * n;
      return at(memory, send.device).slice(offset, offset + n);
    });
    step.items.forEach(({ recv }, k) => {
      const target = at(memory, recv.device);
      at(taken, k).forEach((value, i) => {
        const j = recv.instruction.slice.offset + i;
        target[j] = recv.instruction.apply === 'add' ? at(target, j) + value : value;
      });
    });
  }
  return { memory, sent };
}

const worlds = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 70 })).chain(([world, length]) =>
  fc.array(
    fc
      .array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: length, maxLength: length })
      .map((a) => Float32Array.from(a)),
    { minLength: world, maxLength: world },
  ),
);

describe.each([ring, naive])('$name', (algorithm) => {
  test('sums over all ranks, with the same bytes on each', () => {
    void fc.assert(
      fc.property(worlds, (inputs) => {
        const { memory } = allReduce(algorithm, inputs);
        const first = at(memory, 0);
        for (const other of memory) expect(other).toEqual(first);
        first.forEach((sum, i) => {
          const exact = inputs.reduce((s, input) => s + at(input, i), 0);
          expect(Math.abs(sum - exact)).toBeLessThan(1e-3);
        });
      }),
    );
  });

  test('sends the bytes of its cost formula', () => {
    void fc.assert(
      fc.property(worlds, (inputs) => {
        const { sent } = allReduce(algorithm, inputs);
        const bytes = 4 * at(inputs, 0).length;
        expect(sent).toEqual(algorithm.cost({ op: 'allReduce', bytes, worldSize: inputs.length }).bytesSent);
        expect(sent.reduce((a, b) => a + b, 0)).toBe(2 * (inputs.length - 1) * bytes);
      }),
    );
  });
});

test.each(fixtures.cases)("the ring is gloo's bit for bit, world size $world_size", ({ inputs, results }) => {
  const { memory } = allReduce(ring, inputs.map(decodeF32));
  expect(memory).toEqual(results.all_reduce_SUM.map(decodeF32));
});

test('chunk c of the ring is folded x[c-1] + x[c-2] + ... + x[c]', () => {
  // Values whose sum depends on the order: a large one swallows the small ones added after it.
  const inputs = [1e8, 1, -1e8, 1].map((v) => new Float32Array(8).fill(v));
  const fold = (order: readonly number[]) =>
    order.slice(1).reduce((s, r) => Math.fround(s + at(at(inputs, r), 0)), at(at(inputs, at(order, 0)), 0));
  const { memory } = allReduce(ring, inputs);
  for (let c = 0; c < 4; c++) {
    const { offset } = chunkSlice('b', 8, 4, c);
    expect(at(at(memory, 0), offset)).toBe(fold([(c + 3) % 4, (c + 2) % 4, (c + 1) % 4, c]));
  }
});
