/** In which order the lanes of one memory space run, and which computations share a step. */
import { expect, test } from 'vitest';
import { initDeviceMesh } from '../mesh/device-mesh';
import { PROGRAM_OPS } from '../parallel/modes';
import { ProgramBuilder } from './builder';
import type { Where } from './lane-builder';
import { linearize } from './linearize';

const STEP: Where = { phase: 'step', anchor: 'step' };

/** Four ranks compute `part`, whose size is the rank's own, and then three operators on tensors of one size. */
function unevenPart(sizes: readonly number[]) {
  const builder = new ProgramBuilder(initDeviceMesh({ tp: sizes.length }), PROGRAM_OPS);
  builder.lanes.forEach((lane, rank) => {
    for (const name of ['part', 'a', 'b']) {
      const shape = [name === 'part' ? (sizes[rank] ?? 1) : 4];
      lane.buffer({ name, shape, dtype: 'f32', category: 'activation', persistent: true });
    }
    lane.compute('ops/relu', ['part'], ['part'], {}, STEP);
    lane.compute('ops/relu', ['a'], ['b'], {}, STEP);
    lane.compute('ops/gelu', ['b'], ['a'], {}, STEP);
    lane.compute('ops/relu', ['a'], ['b'], {}, STEP);
  });
  return builder.finish('tensor');
}

const devicesOf = (program: ReturnType<typeof unevenPart>) =>
  linearize(program, { group: true }).map((step) =>
    step.kind === 'compute' ? step.items.map(({ device }) => device) : [],
  );

test('a rank whose part has a size of its own computes it alone, and is then one of the group again', () => {
  expect(devicesOf(unevenPart([5, 5, 5, 2]))).toEqual([[0, 1, 2], [3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]);
  expect(devicesOf(unevenPart([5, 3, 2, 1])).slice(4)).toEqual([
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ]);
});

test('ranks with the same operators in another order do not wait for each other', () => {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: 2 }), PROGRAM_OPS);
  builder.lanes.forEach((lane, rank) => {
    for (const name of ['a', 'b'])
      lane.buffer({ name, shape: [4], dtype: 'f32', category: 'activation', persistent: true });
    for (const op of rank === 0 ? ['ops/relu', 'ops/gelu'] : ['ops/gelu', 'ops/relu'])
      lane.compute(op, ['a'], ['b'], {}, STEP);
  });
  // No group is whole at first: rank 0 begins, and then both compute the gelu.
  expect(devicesOf(builder.finish('ddp'))).toEqual([[0], [0, 1], [1]]);
});
