/**
 * Norm layers on a real WebGPU device where sums fall into several parts, far from zero, and with running statistics in
 * place.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { elements, type HostArray, type Shape } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import { type KernelTuning, SOFTWARE_TUNING } from '../../kernel-tuning';
import { ALL_OPS } from '../../testing/all-ops';
import { type CaseInput, type OpCase, randomSource, reals } from '../../testing/case-tools';
import { relativeError } from '../../testing/closeness';
import { deviceError } from '../../testing/device-error';
import { HARDWARE, TUNINGS } from '../../testing/hardware-tuning';
import { LaunchRunner } from '../../testing/run-launch';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const random = randomSource(11);
const shifted = (input: CaseInput, by: number): CaseInput => ({ ...input, data: input.data.map((v) => v + by) });
const layerNorm = (shape: Shape, by = 0): OpCase => ({
  op: 'norm/layer-norm',
  attrs: { normalizedShape: shape.slice(1) },
  inputs: [shifted(reals(shape, random), by), reals(shape.slice(1), random), reals(shape.slice(1), random)],
});
const groupNorm = (shape: Shape, groups: number, by = 0, source = random): OpCase => ({
  op: 'norm/group-norm',
  attrs: { groups },
  inputs: [shifted(reals(shape, source), by), ...[0, 1].map(() => reals([at(shape, 1)], source))],
});

describe.each(TUNINGS)('agrees with the CPU, kernels of %s', (_, tuning) => {
  it.each([
    ['layer norm over many rows', layerNorm([701, 37])],
    ['layer norm over 5,000 rows', layerNorm([5000, 3])],
    ['layer norm of rows as long as are kept for the gradient', layerNorm([9, 192])],
    ['layer norm of longer rows', layerNorm([17, 193], 100)],
    ['layer norm of rows as long as are kept', layerNorm([5, 384], 100)],
    ['layer norm of rows one longer', layerNorm([5, 385], 100)],
    ['layer norm far from zero', layerNorm([9, 500], 1000)],
    ['group norm of planes', groupNorm([3, 6, 17, 19], 2)],
    ['group norm of one group far from zero', groupNorm([2, 6, 40, 40], 1, 1000)],
    ['group norm of planes of whole vectors', groupNorm([3, 6, 6, 10], 2)],
    ['group norm of rows', groupNorm([300, 6], 3)],
  ])('%s', async (_name, made) => {
    const { error, value } = await deviceError(must(runner, 'runner').tuned(tuning), made);
    expect(error, value).toBeLessThan(1e-5);
  });
});

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
it.each([
  ['whole vectors', groupNorm([3, 6, 10, 30], 2, 0, randomSource(2))],
  ['single elements', groupNorm([3, 6, 17, 19], 2, 0, randomSource(2))],
])(
  'kernels of hardware, which begin with the first element, lose few digits if it is far away: %s',
  async (_, made) => {
    at(made.inputs, 0).data[0] = 1000;
    const { error, value } = await deviceError(must(runner, 'runner').tuned(HARDWARE), made);
    // At most half a unit in the last place per element of a part.
    expect(error, value).toBeLessThan(6e-5);
  },
);

const STATS = must(ALL_OPS.get('norm/batch-norm-stats'), 'stats');

/** Runs an operator on both devices; `before`: contents of outputs that it updates in place. */
async function both(
  name: string,
  inputs: readonly CaseInput[],
  attrs: OpCase['attrs'],
  before: readonly (HostArray | undefined)[],
  tuning: KernelTuning = SOFTWARE_TUNING,
) {
  const op = must(ALL_OPS.get(name), name);
  const inputTypes = inputs.map((input) => input.type);
  const outputTypes = op.infer(inputTypes, attrs);
  const data = inputs.map((input) => input.data);
  const cpu = outputTypes.map((type, k): HostArray => {
    const held = before[k]?.slice();
    return (
      held ?? (type.dtype === 'f32' ? new Float32Array(elements(type.shape)) : new Int32Array(elements(type.shape)))
    );
  });
  op.cpu({ inputs: data, outputs: cpu, inputTypes, outputTypes, attrs, scratch: new CpuScratch() });
  const types = { inputs: inputTypes, outputs: outputTypes, attrs };
  const gpu = at(
    await must(runner, 'runner')
      .tuned(tuning)
      .run(op, types, [[...data, ...before]]),
    0,
  );
  return { cpu, gpu: gpu.map((raw, k) => (at(outputTypes, k).dtype === 'i32' ? new Int32Array(raw.buffer) : raw)) };
}

describe.each([
  ['images', [5, 3, 17, 19], 0],
  ['images of whole vectors', [6, 3, 14, 10], 0],
  ['images far from zero', [16, 3, 20, 20], 1000],
  ['rows', [300, 7], 0],
  ['four values', [4, 3], 0],
  ['one sample', [1, 2, 90], 0],
])('batch norm of %s', (_, shape, by) => {
  const channels = at(shape, 1);
  const x = shifted(reals(shape, random), by);
  const fixed = (value: () => number): CaseInput => ({
    type: f32(channels),
    data: Float32Array.from({ length: channels }, value),
    wrt: false,
  });

  it.each(
    TUNINGS.flatMap(([name, tuning]) =>
      [{ momentum: 0.1 }, { cumulative: true }].map((how) => ({ name, tuning, how })),
    ),
  )('moves running statistics in place as the CPU does, $how, kernels of $name', async ({ how, tuning }) => {
    const running = [fixed(random), fixed(random)];
    const tracked = { type: { shape: [1], dtype: 'i32' as const }, data: Int32Array.of(4), wrt: false };
    const before = [undefined, undefined, ...running.map((r) => r.data), tracked.data];
    const attrs = { eps: 1e-5, ...how };
    const { cpu, gpu } = await both(STATS.name, [x, ...running, tracked], attrs, before, tuning);
    cpu.forEach((expected, k) => {
      expect(relativeError(at(gpu, k), expected), `output ${k}`).toBeLessThan(1e-5);
    });
    expect(at(gpu, 4)).toEqual(Int32Array.of(5));
  });

  it.each(TUNINGS)('normalises and differentiates as the CPU does, kernels of %s', async (_name, tuning) => {
    const stats = await both(
      STATS.name,
      [x, fixed(random), fixed(random), { type: { shape: [1], dtype: 'i32' }, data: Int32Array.of(0), wrt: false }],
      { eps: 1e-5 },
      [undefined, undefined, new Float32Array(channels), new Float32Array(channels), Int32Array.of(0)],
    );
    const saved = [fixed(random), fixed(random)].map((input, k) => ({ ...input, data: at(stats.cpu, k) }));
    const parameters = [reals([channels], random), reals([channels], random)];
    const made = { op: 'norm/batch-norm', attrs: {}, inputs: [x, ...saved, ...parameters] };
    const { error, value } = await deviceError(must(runner, 'runner').tuned(tuning), made);
    expect(error, value).toBeLessThan(1e-5);
  });
});
