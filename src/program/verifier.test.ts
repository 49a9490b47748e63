/** Programs that must not run, and what is said of them. */

import { describe, expect, test } from 'vitest';
import { initDeviceMesh } from '../mesh/device-mesh';
import { ProgramBuilder, type Where } from './builder';
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
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/sends 3 elements of b, cuda:1 expects 4/);
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
    expect(() => verify(mixed.finish('test'), NO_OPS)).toThrow(/sends f32 of b, cuda:1 takes it for i32/);
  });
  test('collectives of one group that differ, not those of two', () => {
    const two = (groups: readonly [string, string]) => {
      const builder = twoLanes();
      const whole = builder.lane(0).whole('b');
      groups.forEach((group, seq) => {
        const ref = { seq: 0, op: seq === 0 ? 'allReduce' : 'broadcast', algorithm: 'ring', group } as const;
        builder.lane(seq).send({ peer: 1 - seq, slice: whole, tag: `t${seq}`, payload: 'data', collective: ref }, comm);
        builder.lane(1 - seq).recv({ peer: seq, slice: whole, apply: 'put', tag: `t${seq}`, payload: 'data' }, comm);
      });
      return builder.finish('test');
    };
    expect(() => verify(two(['a', 'b']), NO_OPS)).not.toThrow();
    expect(() => verify(two(['a', 'a']), NO_OPS)).toThrow(/Detected mismatch between collectives/);
  });
  test('a device over its memory', () => {
    const program = twoLanes(1000).finish('test');
    expect(() => verifyMemory([program], 4096)).not.toThrow();
    expect(() => verifyMemory([program], 4095)).toThrow(/CUDA out of memory\. The step needs 4\.00 KiB on GPU 0/);
  });
});
