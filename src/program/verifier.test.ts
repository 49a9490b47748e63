/** Programs that must not run, and what is said of them. */
import { describe, expect, test } from 'vitest';
import { ProgramBuilder, type Where } from './builder';
import { verifyMemory } from './memory-report';
import { verify } from './verifier';

const comm: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };
const NO_OPS = new Map();

function twoLanes(length = 4): ProgramBuilder {
  const builder = new ProgramBuilder([0, 1], NO_OPS);
  for (const lane of builder.lanes)
    lane.buffer({ name: 'b', shape: [length], dtype: 'f32', category: 'bucket', persistent: true });
  return builder;
}

describe('verify refuses', () => {
  test('a receive without its send', () => {
    const builder = twoLanes();
    builder.lane(1).recv(0, builder.lane(1).whole('b'), 'put', 'lonely', 'gradient', comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/cuda:1 receives b from cuda:0, which never sends it/);
  });
  test('a send that nobody receives', () => {
    const builder = twoLanes();
    builder.lane(0).send(1, builder.lane(0).whole('b'), 'lost', 'gradient', comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/never receives it/);
  });
  test('sides that disagree about the size', () => {
    const builder = twoLanes();
    builder.lane(0).send(1, { buffer: 'b', offset: 0, length: 3 }, 't', 'gradient', comm);
    builder.lane(1).recv(0, { buffer: 'b', offset: 0, length: 4 }, 'put', 't', 'gradient', comm);
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
    builder.lane(0).recv(1, whole, 'put', 'a', 'gradient', comm);
    builder.lane(0).send(1, whole, 'b', 'gradient', comm);
    builder.lane(1).recv(0, whole, 'put', 'b', 'gradient', comm);
    builder.lane(1).send(0, whole, 'a', 'gradient', comm);
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
    builder.lane(0).send(1, whole, 't', 'gradient', comm, { seq: 0, op: 'allReduce', algorithm: 'ring' });
    builder.lane(1).recv(0, whole, 'put', 't', 'gradient', comm, { seq: 0, op: 'broadcast', algorithm: 'direct' });
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(
      /Detected mismatch between collectives on ranks\. Rank 1 .*OpType=BROADCAST.* but Rank 0 .*OpType=ALLREDUCE/,
    );
  });
  test('bits of floats joined, and floats taken for integers', () => {
    const builder = twoLanes();
    const whole = builder.lane(0).whole('b');
    builder.lane(0).send(1, whole, 't', 'data', comm);
    builder.lane(1).recv(0, whole, 'band', 't', 'data', comm);
    expect(() => verify(builder.finish('test'), NO_OPS)).toThrow(/Cannot use ReduceOp\.BAND with non-integral dtype/);
    const mixed = twoLanes();
    mixed.lane(1).buffer({ name: 'i', shape: [4], dtype: 'i32', category: 'data', persistent: true });
    mixed.lane(0).send(1, whole, 't', 'data', comm);
    mixed.lane(1).recv(0, { ...whole, buffer: 'i' }, 'put', 't', 'data', comm);
    expect(() => verify(mixed.finish('test'), NO_OPS)).toThrow(/sends f32 of b, cuda:1 takes it for i32/);
  });
  test('collectives of one group that differ, not those of two', () => {
    const two = (groups: readonly [string, string]) => {
      const builder = twoLanes();
      const whole = builder.lane(0).whole('b');
      groups.forEach((group, seq) => {
        const ref = { seq: 0, op: seq === 0 ? 'allReduce' : 'broadcast', algorithm: 'ring', group } as const;
        builder.lane(seq).send(1 - seq, whole, `t${seq}`, 'data', comm, ref);
        builder.lane(1 - seq).recv(seq, whole, 'put', `t${seq}`, 'data', comm);
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
