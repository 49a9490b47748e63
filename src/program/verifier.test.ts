/** Programs that must not run, and what is said of them. */

import { describe, expect, test } from 'vitest';
import { initDeviceMesh } from '../mesh/device-mesh';
import type { Group } from '../protocol/mesh';
import type { CollectiveRef } from '../protocol/trace';
import { ProgramBuilder } from './builder';
import type { Where } from './lane-builder';
import { verifyMemory } from './memory-report';
import { verify } from './verifier';

const comm: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };
const NO_OPS = new Map();

function twoLanes(length = 4): ProgramBuilder {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: 2 }), NO_OPS);
  for (const lane of builder.lanes)
    lane.buffer({ name: 'b', shape: [length], dtype: 'f32', category: 'bucket', persistent: true });
  return builder;
}

const group = (id: number, ranks: readonly number[] = [0, 1]): Group => ({ id, axis: 'tp', ranks });

/** A message from rank 0 to rank 1; what each side says of its collective. */
function message(
  builder: ProgramBuilder,
  sent: Partial<CollectiveRef>,
  taken: Partial<CollectiveRef> | undefined,
  tag = 't',
): void {
  const base = { seq: 0, op: 'allReduce', algorithm: 'ring' } as const;
  const slice = builder.lane(0).whole('b');
  builder.lane(0).send({ peer: 1, slice, tag, payload: 'data', collective: { ...base, ...sent } }, comm);
  const collective = taken ? { collective: { ...base, ...taken } } : {};
  builder.lane(1).recv({ peer: 0, slice, apply: 'put', tag, payload: 'data', ...collective }, comm);
}

describe('verify refuses', () => {
  test('a receive without its send', () => {
    const builder = twoLanes();
    builder
      .lane(1)
      .recv({ peer: 0, slice: builder.lane(1).whole('b'), apply: 'put', tag: 'lonely', payload: 'gradient' }, comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/cuda:1 receives b from cuda:0, which never sends it/);
  });
  test('a send that nobody receives', () => {
    const builder = twoLanes();
    builder.lane(0).send({ peer: 1, slice: builder.lane(0).whole('b'), tag: 'lost', payload: 'gradient' }, comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/never receives it/);
  });
  test('sides that disagree about the size', () => {
    const builder = twoLanes();
    builder
      .lane(0)
      .send({ peer: 1, slice: { buffer: 'b', offset: 0, length: 3 }, tag: 't', payload: 'gradient' }, comm);
    builder
      .lane(1)
      .recv(
        { peer: 0, slice: { buffer: 'b', offset: 0, length: 4 }, apply: 'put', tag: 't', payload: 'gradient' },
        comm,
      );
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/sends 3 elements of b, but cuda:1 expects 4/);
  });
  test('a slice outside its buffer', () => {
    const builder = twoLanes();
    const slice = { buffer: 'b', offset: 2, length: 4 };
    builder.transfer(
      { device: 0, slice, where: comm },
      { device: 1, slice, where: comm },
      { name: 'x', payload: 'gradient' },
    );
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/slice \[2, 6\) is outside b of 4 elements/);
  });
  test('two ranks that each wait for the other first', () => {
    const builder = twoLanes();
    const whole = builder.lane(0).whole('b');
    builder.lane(0).recv({ peer: 1, slice: whole, apply: 'put', tag: 'a', payload: 'gradient' }, comm);
    builder.lane(0).send({ peer: 1, slice: whole, tag: 'b', payload: 'gradient' }, comm);
    builder.lane(1).recv({ peer: 0, slice: whole, apply: 'put', tag: 'b', payload: 'gradient' }, comm);
    builder.lane(1).send({ peer: 0, slice: whole, tag: 'a', payload: 'gradient' }, comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(
      /would hang: cuda:0 \(comm\) waits for cuda:1 to send a; cuda:1 \(comm\) waits for cuda:0 to send b/,
    );
  });
  test('a wait for an event that nothing sets', () => {
    const builder = twoLanes();
    builder.lane(0).wait('never', comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/nothing signals event never/);
  });
  test('collectives that differ between ranks', () => {
    const builder = twoLanes();
    const whole = builder.lane(0).whole('b');
    builder.lane(0).send(
      {
        peer: 1,
        slice: whole,
        tag: 't',
        payload: 'gradient',
        collective: { seq: 0, op: 'allReduce', algorithm: 'ring' },
      },
      comm,
    );
    builder.lane(1).recv(
      {
        peer: 0,
        slice: whole,
        apply: 'put',
        tag: 't',
        payload: 'gradient',
        collective: { seq: 0, op: 'broadcast', algorithm: 'direct' },
      },
      comm,
    );
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(
      /Detected mismatch between collectives on ranks\. Rank 1 .*OpType=BROADCAST.* but Rank 0 .*OpType=ALLREDUCE/,
    );
  });
  test('bits of floats joined, and floats taken for integers', () => {
    const builder = twoLanes();
    const whole = builder.lane(0).whole('b');
    builder.lane(0).send({ peer: 1, slice: whole, tag: 't', payload: 'data' }, comm);
    builder.lane(1).recv({ peer: 0, slice: whole, apply: 'band', tag: 't', payload: 'data' }, comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/Cannot use ReduceOp\.BAND with non-integral dtype/);
    const mixed = twoLanes();
    mixed.lane(1).buffer({ name: 'i', shape: [4], dtype: 'i32', category: 'data', persistent: true });
    mixed.lane(0).send({ peer: 1, slice: whole, tag: 't', payload: 'data' }, comm);
    mixed.lane(1).recv({ peer: 0, slice: { ...whole, buffer: 'i' }, apply: 'put', tag: 't', payload: 'data' }, comm);
    expect(() => verify(mixed.finish('test'), NO_OPS)).toThrow(/sends f32 of b, but cuda:1 reads it as i32/);
  });
  test('collectives of one group that differ, not those of two', () => {
    const [a, b] = [group(1), group(2)];
    const two = (groups: readonly [Group, Group]) => {
      const builder = twoLanes();
      groups.forEach((own, place) => {
        const op = place === 0 ? 'allReduce' : 'broadcast';
        message(builder, { op, group: own }, { op, group: own }, `t${place}`);
      });
      return builder.finish('test');
    };
    expect(() => verify(two([a, b]), NO_OPS)).not.toThrow();
    const within = twoLanes();
    message(within, { op: 'allReduce', group: a }, { op: 'broadcast', group: a });
    expect(() => verify(within.finish('test'), NO_OPS)).toThrow(
      /mismatch between collectives on ranks of tp\[0, 1\].*BROADCAST.*ALLREDUCE/,
    );
  });
  test('sizes and dtypes that differ within a group', () => {
    const sizes = twoLanes();
    message(sizes, { tensor: { length: 8, dtype: 'f32' } }, { tensor: { length: 4, dtype: 'f32' } });
    expect(() => verify(sizes.finish('test'), NO_OPS)).toThrow(/TensorShape=\[4\].*but.*TensorShape=\[8\]/);
    const dtypes = twoLanes();
    message(dtypes, { tensor: { length: 8, dtype: 'f32' } }, { tensor: { length: 8, dtype: 'i32' } });
    expect(() => verify(dtypes.finish('test'), NO_OPS)).toThrow(/TensorDtypes=Int.*but.*TensorDtypes=Float/);
  });
  test('a rank outside of a group that calls its collective, a member that does not, and two groups with one id', () => {
    const outside = twoLanes();
    message(outside, { group: group(1, [0]) }, {});
    message(outside, {}, { group: group(1, [0]) }, 'u');
    expect(() => verify(outside.finish('test'), NO_OPS)).toThrow(
      /Rank 1 takes part in tp\[0\], but is not a member of it/,
    );
    const missing = twoLanes();
    message(missing, { group: group(1) }, undefined);
    expect(() => verify(missing.finish('test'), NO_OPS)).toThrow(/Rank 1 is running collective: no collective/);
    const twice = twoLanes();
    message(twice, { group: group(1, [0, 1]) }, { group: group(1, [1, 0]) });
    expect(() => verify(twice.finish('test'), NO_OPS)).toThrow(/Two groups have the id 1: tp\[0, 1\] and tp\[1, 0\]/);
  });
  test('a device over its memory', () => {
    const program = twoLanes(1000).finish('test');
    expect(() => verifyMemory([program], 4096)).not.toThrow();
    expect(() => verifyMemory([program], 4095)).toThrow(/CUDA out of memory\. The step needs 4\.00 KiB on GPU 0/);
  });
});
