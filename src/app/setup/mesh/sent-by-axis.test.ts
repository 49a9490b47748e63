/** Bytes by axis: of lines, of the default group of all ranks, and of a pipeline's messages. */
import { expect, test } from 'vitest';
import { makeTrace, slice, transfer } from '../../../trace/testing/make-trace';
import { sentByAxis } from './sent-by-axis';

const ONE = { pp: 1, dpReplicate: 1, dpShard: 1, cp: 1, tp: 1 };
const NONE = { pp: 0, dpReplicate: 0, dpShard: 0, cp: 0, tp: 0 };
const collective = { id: 0, seq: 0, op: 'allReduce', algorithm: 'ring' } as const;
const sends = (more: Partial<Parameters<typeof transfer>[3]>) =>
  makeTrace(transfer([0, 1], 0, 1, { slice: slice('a', 0, 8), ...more }));

test.each(['tp', 'dpShard', 'dpReplicate'] as const)('all ranks are along %s', (axis) => {
  expect(sentByAxis(sends({ collective }), { ...ONE, [axis]: 2 })).toEqual({ ...NONE, [axis]: 32 });
});

test('a line of a mesh with two axes; a group of all its ranks belongs to neither', () => {
  const shape = { ...ONE, dpReplicate: 2, tp: 2 };
  const group = { id: 3, axis: 'tp', ranks: [0, 1] } as const;
  expect(sentByAxis(sends({ collective: { ...collective, group } }), shape)).toEqual({ ...NONE, tp: 32 });
  expect(sentByAxis(sends({ collective }), shape)).toEqual(NONE);
});

test('messages of a schedule', () => {
  const action = { kind: 'F', stage: 0, microBatch: 0 } as const;
  expect(sentByAxis(sends({ action }), { ...ONE, pp: 2, tp: 2 })).toEqual({ ...NONE, pp: 32 });
});
