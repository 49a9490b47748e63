/**
 * Memory of sharded runs: what is persistent is what the formulas of the ZeRO paper say, whole parameters take room
 * only while a unit needs them, and a model that DDP cannot hold is offered in shards.
 */
import { describe, expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { planMemory } from '../program/memory-planner';
import type { ConfigInput } from '../protocol/config';
import { tensorBytes } from '../tensor/shape';
import { createBlueprint } from './blueprint';
import { memoryOf } from './device-memory';

const WIDTH = 64;
const LAYERS = 6;

/** Rows that divide by 4 ranks, so that no shard is padded; one matrix of 16 KiB a layer. */
const BASE: ConfigInput = {
  device: 'cpu',
  worldSize: 4,
  model: {
    layers: Array.from({ length: LAYERS }, () => [
      { type: 'Linear' as const, in: WIDTH, out: WIDTH, bias: false },
      { type: 'Tanh' as const },
    ]).flat(),
  },
  data: { type: 'randomRegression', samples: 64, in: WIDTH, out: WIDTH },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
  batchSize: 16,
  compareSingle: false,
};
const MATRIX = 4 * WIDTH * WIDTH;
const P = LAYERS * MATRIX;

const programOf = (config: ConfigInput) => {
  const { programs } = createBlueprint(parseConfig({ ...BASE, ...config }), {});
  const usual = programs.find(({ kind }) => kind.type === 'training' && !at(kind.microBatches, 0).beforeRebuild);
  if (!usual) throw new Error('no usual step');
  return usual;
};

/** Persistent bytes of rank 0 by category, without the scalars of the optimiser. */
function kept(config: ConfigInput) {
  const { buffers } = at(programOf(config).lanes, 0);
  const bytes = (category: string) =>
    buffers
      .filter((spec) => spec.category === category && spec.persistent && !spec.name.startsWith('scalars'))
      .reduce((sum, spec) => sum + tensorBytes(spec), 0);
  return { parameters: bytes('parameter'), gradients: bytes('gradient'), states: bytes('optimizer') };
}

const reserved = (config: ConfigInput): number => at([...planMemory([programOf(config)]).values()], 0).bytes;

describe('what rank 0 of 4 keeps between steps', () => {
  test.each<[ConfigInput, ReturnType<typeof kept>]>([
    [{ mode: 'ddp' }, { parameters: P, gradients: P, states: 2 * P }],
    [
      { mode: 'sharded', sharded: { stage: 0 } },
      { parameters: P, gradients: P, states: 2 * P },
    ],
    // Six equal parameters for four ranks: the first two have two of them.
    [
      { mode: 'sharded', sharded: { stage: 1 } },
      { parameters: P, gradients: P, states: (2 * P * 2) / LAYERS },
    ],
    [
      { mode: 'sharded', sharded: { stage: 2 } },
      { parameters: P / 4, gradients: P / 4, states: P / 2 },
    ],
    [{ mode: 'sharded' }, { parameters: P / 4, gradients: P / 4, states: P / 2 }],
  ])('%j', (config, expected) => {
    expect(kept(config)).toEqual(expected);
  });
});

test('stage 3 has at most two units whole at once, stage 2 all of them', () => {
  const wholes = (config: ConfigInput): number => {
    const program = programOf(config);
    const plan = at([...planMemory([program]).values()], 0);
    const place = at([...plan.placements.values()], 0);
    const lane = at(program.lanes, 0);
    return new Set(
      lane.buffers.flatMap(({ name, category }) => (category === 'unsharded' ? [place.get(name)?.region] : [])),
    ).size;
  };
  expect(wholes({ mode: 'sharded' })).toBeLessThanOrEqual(3);
  // Nobody asks for the gradient of the data, so the first weight is not needed in the backward pass.
  expect(wholes({ mode: 'sharded', sharded: { stage: 2 } })).toBe(LAYERS - 1);
  const bytes = [0, 1, 2, 3].map((stage) => reserved({ mode: 'sharded', sharded: { stage } }));
  expect(bytes).toEqual(bytes.toSorted((a, b) => b - a));
});

test('with a MixedPrecisionPolicy gathered parameters take half the bytes, and shards the same', () => {
  const policy = { paramDtype: 'bfloat16', reduceDtype: 'float32' } as const;
  expect(kept({ mode: 'sharded', sharded: policy })).toEqual(kept({ mode: 'sharded' }));
  const gathered = (config: ConfigInput, suffix: RegExp): readonly number[] =>
    at(programOf(config).lanes, 0).buffers.flatMap((spec) => (suffix.test(spec.name) ? [tensorBytes(spec)] : []));
  const [low, full] = [{ mode: 'sharded' as const, sharded: policy }, { mode: 'sharded' as const }];
  expect(new Set(gathered(low, /\.gathered\./))).toEqual(new Set([MATRIX / 2]));
  expect(new Set(gathered(full, /\.gathered\./))).toEqual(new Set([MATRIX]));
  expect(new Set(gathered(low, /unsharded.*\.halves/))).toEqual(new Set([MATRIX / 2]));
  expect(new Set(gathered(low, /\.gradients$/))).toEqual(new Set([MATRIX]));
  expect(new Set(gathered({ mode: 'sharded', sharded: { paramDtype: 'bfloat16' } }, /\.gradients$/))).toEqual(
    new Set([MATRIX / 2]),
  );
  const bytes = (stage: number) => [
    reserved({ ...full, sharded: { stage } }),
    reserved({ ...low, sharded: { ...policy, stage } }),
  ];
  for (const stage of [2, 3]) {
    const [wide = 0, narrow = 0] = bytes(stage);
    expect(narrow).toBeLessThan(wide);
  }
});

test('a model that DDP cannot hold: the refusal names a stage that fits, and the run with it opens', () => {
  const [whole = 0, , , sharded = 0] = [0, 1, 2, 3].map((stage) => reserved({ mode: 'sharded', sharded: { stage } }));
  const refusal = (budgetBytes: number): LockstepError => {
    try {
      createBlueprint(parseConfig({ ...BASE, mode: 'ddp', memoryBudgetMb: budgetBytes / (1 << 20) }), {});
    } catch (error) {
      if (error instanceof LockstepError) return error;
    }
    throw new Error('not refused');
  };
  const tight = refusal(sharded + 1);
  expect(tight.hint).toContain('ZeRO stage 3 would fit');
  expect(tight.details['instead']).toEqual({ mode: 'sharded', worldSize: 4, sharded: { stage: 3 } });
  const { instead } = tight.details as { readonly instead: ConfigInput };
  createBlueprint(parseConfig({ ...BASE, memoryBudgetMb: (sharded + 1) / (1 << 20), ...instead }), {});
  expect(refusal(sharded - 1).hint).toContain('ZeRO stage 3 on 8 ranks would fit');
  expect(refusal(2048).hint).toContain('Parameters with their gradients');
  expect(refusal(whole - 4096).hint).toContain('ZeRO stage 1 would fit');
});

test('a second micro-batch stores no second gradient of a shard: the reduced gradient is added to .grad', () => {
  const peak = (accumulate: number) => {
    const run = { ...BASE, mode: 'sharded', accumulate, optimizer: { type: 'SGD', lr: 0.1 } } as const;
    return at(memoryOf(createBlueprint(parseConfig({ ...run, batchSize: 8 * accumulate }), {})), 0);
  };
  const [one, two] = [peak(1), peak(2)];
  expect(two.byCategory.gradient).toBe(one.byCategory.gradient);
  expect(two.byCategory.gradient).toBe(P / 4);
});
