/** Live bytes of a step made by hand. */
import { expect, test } from 'vitest';
import type { BufferInfo } from '../protocol/trace';
import { memoryOf, totalBytes } from './memory';
import { makeTrace, slice, transfer } from './testing/make-trace';

const buffer = (name: string, category: BufferInfo['category'], bytes: number, persistent = false): BufferInfo => ({
  device: 0,
  name,
  shape: [bytes / 4],
  category,
  bytes,
  persistent,
});
const buffers = [
  buffer('w', 'parameter', 512, true),
  buffer('x', 'data', 256),
  buffer('h', 'activation', 1024),
  buffer('g', 'activation', 256),
];
const step = makeTrace([
  { kind: 'load', writes: ['x'] },
  { reads: ['x', 'w'], writes: ['h'] },
  { reads: ['h'], writes: ['g'] },
  { reads: ['g', 'w'], writes: ['w'] },
]);

test('persistent buffers always, others from first write to last use', () => {
  const memory = memoryOf(step, buffers);
  const at = (index: number) => memory.at(0, index);
  expect([-1, 0, 1, 2, 3].map((i) => totalBytes(at(i)))).toEqual([512, 768, 1792, 1792, 768]);
  expect(at(1)).toMatchObject({ parameter: 512, data: 256, activation: 1024 });
  expect(at(2)).toMatchObject({ parameter: 512, data: 0, activation: 1280 });
  expect(memory.peak(0)).toEqual({ bytes: 1792, event: 1 });
  expect(memory.peak(1)).toEqual({ bytes: 0, event: -1 });
});

test('a bucket that only this Program has is as large as its transfers reach', () => {
  const ddp = makeTrace([
    { name: 'ddp/pack', bucket: 0, writes: ['bucket0'] },
    ...transfer([7, 8], 0, 1, { slice: slice('bucket0', 60, 10), bucket: 0 }),
  ]);
  expect(memoryOf(ddp, buffers).at(0, 0)).toMatchObject({ parameter: 512, bucket: 512 });
});
