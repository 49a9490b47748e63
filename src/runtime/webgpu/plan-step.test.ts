/** How many dispatches the modes cost, and that merged moves keep every order that matters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at } from '../../base/invariant';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Config } from '../../protocol/config';
import { DispatchSchedule } from './dispatch-order';
import { ADD, PUT } from './join-code';
import { MemoryLayout } from './memory-layout';
import { planProgram } from './plan-step';
import type { TransferMove } from './plan-transfer';
import { testRun } from './testing/programs';

const LIMITS = { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27 };

function planOf(
  mode: Config['mode'],
  worldSize: number,
  batchSize = 12,
  options: { fold?: boolean; layers?: readonly unknown[] } = {},
) {
  const run = testRun({ mode, worldSize, batchSize }, options.layers);
  const layout = new MemoryLayout(run.programs, run.devices, LIMITS);
  return planProgram(at(run.programs, 0), PROGRAM_OPS, layout, options);
}

describe('a planned step', () => {
  it('runs the ranks of DDP in shared dispatches', () => {
    const single = planOf('single', 1).dispatches.length;
    for (const worldSize of [2, 3, 4]) {
      const rounds = planOf('ddp', worldSize, 12, { fold: false });
      // Copy into the bucket, 2(N - 1) rounds of the ring, copy out of it.
      expect(rounds.dispatches.length).toBe(single + 2 + 2 * (worldSize - 1));
      expect(rounds.loads.length).toBe(3);
      const { dispatches, arrived } = planOf('ddp', worldSize);
      expect(dispatches.length).toBe(single + 1);
      expect(dispatches.filter(({ kernel }) => kernel === 'comm/fold')).toMatchObject([
        { constants: { TERMS: worldSize, TARGETS: worldSize, VECTORS: 1 } },
      ]);
      expect(arrived.size).toBe(0);
    }
  });

  it('gathers or reduces each unit of sharded in a dispatch, whose tensors lie in a GPUBuffer each', () => {
    const single = planOf('single', 1).dispatches.length;
    const { dispatches } = planOf('sharded', 4);
    const count = (name: string) => dispatches.filter(({ kernel }) => kernel === name).length;
    // Three units of a weight and a bias. The backward pass does not need the first unit, nor the biases of the others.
    expect([count('comm/transfer-to-many'), count('comm/transfer'), count('comm/fold-from-many')]).toEqual([3, 2, 3]);
    // Never filled, packed or scaled.
    expect(['comm/fold-between', 'comm/transfer-within', 'comm/fill', 'comm/scale'].map((name) => count(name))).toEqual(
      [0, 0, 0, 0],
    );
    // The shards of ranks have different sizes, so not all of them share a dispatch.
    expect(dispatches.length).toBeLessThan(single + 14);
    expect(planOf('sharded', 4, 12, { fold: false }).dispatches.length).toBeGreaterThan(3 * dispatches.length);
  });

  it('sums the addends of tensor ranks in a dispatch, also where a rank has a smaller part', () => {
    const layers = [
      { type: 'Linear', in: 3, out: 9 },
      { type: 'Tanh' },
      { type: 'Linear', in: 9, out: 8 },
      { type: 'ReLU' },
      { type: 'Linear', in: 8, out: 2 },
    ];
    const whole = planOf('single', 1, 12, { layers }).dispatches.length;
    const { dispatches } = planOf('tensor', 4, 12, { layers });
    const count = (name: string) => dispatches.filter(({ kernel }) => kernel === name).length;
    // Of the forward pass of the second layer, and of the backward pass of the third.
    expect(count('comm/fold') + count('comm/fold-between')).toBe(2);
    expect([count('comm/transfer-within'), count('comm/transfer-within-vec4')]).toEqual([0, 0]);
    // 9 columns are 3, 3, 3 and none: the kernels of the first layer run once for three ranks.
    expect(dispatches.length).toBe(whole + 5);
  });

  it.each([2, 3, 5, 7, 8])(
    'puts small instances of %i ranks into shared workgroups, none beyond the last rank',
    (worldSize) => {
      const { dispatches } = planOf('ddp', worldSize, 2 * worldSize);
      const shared = dispatches.filter(({ constants }) => constants.DEPTH !== undefined);
      expect(shared.length).toBeGreaterThan(0);
      for (const { constants, workgroups } of shared) {
        const [x, y, z] = workgroups;
        expect([x, y, z * (constants.DEPTH ?? 0)]).toEqual([1, 1, worldSize]);
        expect((constants.WIDTH ?? 0) * (constants.DEPTH ?? 0)).toBeLessThanOrEqual(64);
      }
    },
  );

  it('replicates all parameters of DataParallel in one dispatch and sums all gradients in one', () => {
    const { dispatches } = planOf('dataParallel', 4);
    const folds = dispatches.filter(({ kernel }) => kernel === 'comm/fold');
    expect(folds.map(({ constants }) => [constants.TERMS, constants.TARGETS])).toEqual([
      [1, 3],
      [4, 1],
    ]);
    const rounds = planOf('dataParallel', 4, 12, { fold: false });
    const moves = rounds.dispatches.filter(({ kernel }) => kernel === 'comm/transfer-within');
    expect(moves.map(({ constants }) => constants.JOIN)).toEqual([0, 1, 1, 1]);
    // Flattening, copying, unflattening; and flattening, adding three times, unflattening.
    expect(dispatches.length).toBe(rounds.dispatches.length - (3 + 5) + 2);
  });

  it('cuts a dispatch where strides differ: unequal batches', () => {
    const { dispatches } = planOf('dataParallel', 3, 11);
    for (const { tensors, workgroups } of dispatches) {
      expect(workgroups.every((n) => n > 0 && n <= 65_535)).toBe(true);
      for (const { offset } of tensors) expect(offset % 256).toBe(0);
    }
  });
});

/** Applies moves one after the other, or a dispatch at a time from a snapshot, as a GPU may. */
function run(groups: readonly (readonly { move: TransferMove; add: boolean }[])[]): Float64Array {
  const memory = Float64Array.from({ length: 40 }, (_, i) => i + 1);
  for (const group of groups) {
    const before = memory.slice();
    for (const { move, add } of group) {
      for (let i = 0; i < move.length; i++) {
        const own = add ? at(before, move.to + i) : 0;
        memory[move.to + i] = own * 3 + at(before, move.from + i);
      }
    }
  }
  return memory;
}

it('moves that the schedule merges give the same result as one by one', () => {
  const move = fc
    .record({ from: fc.nat(30), to: fc.nat(30), length: fc.integer({ min: 1, max: 8 }), add: fc.boolean() })
    .filter(({ from, to, length }) => from + length <= to || to + length <= from);
  void fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (list) => {
      const moves = list.map(({ add, ...rest }) => ({ add, move: { ...rest, source: 0, target: 0 } }));
      const run1 = testRun({ mode: 'single', batchSize: 2 });
      const layout = new MemoryLayout(run1.programs, run1.devices, LIMITS);
      const schedule = new DispatchSchedule();
      for (const { move: each, add } of moves) schedule.move(each, add ? ADD : PUT);
      const groups = schedule.finish(layout).dispatches.map(({ table, constants }) => {
        const words = table ?? new Uint32Array(0);
        return Array.from({ length: words.length / 3 }, (_, row) => ({
          add: constants.JOIN === 1,
          move: {
            source: 0,
            target: 0,
            to: at(words, row * 3),
            length: at(words, row * 3 + 1),
            from: at(words, row * 3 + 2),
          },
        }));
      });
      expect(groups.length).toBeLessThanOrEqual(moves.length);
      expect(run(groups)).toEqual(run(moves.map((each) => [each])));
    }),
  );
});
