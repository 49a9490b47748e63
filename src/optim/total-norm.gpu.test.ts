/** The sum that ends clip_grad_norm_ on a real WebGPU device: in order on software adapters, by a tree on hardware. */
import { beforeAll, describe, expect, it } from 'vitest';
import { at } from '../base/invariant';
import { SOFTWARE_TUNING } from '../graph/kernel-tuning';
import { randomSource } from '../graph/testing/case-tools';
import { HARDWARE, TUNINGS } from '../graph/testing/hardware-tuning';
import { LaunchRunner } from '../graph/testing/run-launch';
import { gradNorm } from './grad-norm';

let runner: LaunchRunner;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

async function total(sums: Float32Array, P: number, tuning: (typeof TUNINGS)[number][1]): Promise<number> {
  const types = { inputs: [{ shape: [sums.length], dtype: 'f32' as const }], outputs: [f32(1)], attrs: {} };
  const params = [sums.length, 65_536];
  const constants = { ROOT: 0, P };
  const launch = { kind: 'dense', kernel: 'optim/total-norm', constants, bindings: [0, 1], params } as const;
  const op = { ...gradNorm, lower: () => [{ ...launch, workgroups: [1, 1] as const }] };
  return at(at(at(await runner.tuned(tuning).run(op, types, [[sums]]), 0), 0), 0);
}
const f32 = (n: number) => ({ shape: [n], dtype: 'f32' as const });

function sumsOf(count: number): Float32Array {
  const random = randomSource(count);
  return Float32Array.from({ length: count }, () => random());
}

describe.each(TUNINGS)('kernel of %s', (_, tuning) => {
  it.each([1, 3, 255, 256, 5000])('adds %i sums, and finds the greatest', async (count) => {
    const sums = sumsOf(count);
    const exact = sums.reduce((a, b) => a + b, 0);
    expect(Math.abs((await total(sums, 2, tuning)) / exact - 1)).toBeLessThan(1e-6);
    expect(await total(sums, 0, tuning)).toBe(Math.max(...sums));
    sums[count >> 1] = Number.NaN;
    expect(await total(sums, 2, tuning)).toBeNaN();
    expect(await total(sums, 0, tuning)).toBeNaN();
  });
});

it('hardware adds by a tree, and software in order', async () => {
  const tree = [...sumsOf(256)];
  for (let half = 128; half >= 1; half /= 2)
    for (let i = 0; i < half; i++) tree[i] = Math.fround(at(tree, i) + at(tree, i + half));
  expect(await total(sumsOf(256), 2, HARDWARE)).toBe(tree[0]);
  const inOrder = sumsOf(256).reduce((a, b) => Math.fround(a + b), 0);
  expect(await total(sumsOf(256), 2, SOFTWARE_TUNING)).toBe(inOrder);
  expect(tree[0]).not.toBe(inOrder);
});
