/**
 * Softmax and log-softmax of wide rows on a real WebGPU device, forward and backward: kernels of software adapters, and
 * those of hardware with and without subgroups.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { withShuffles } from '../../../runtime/webgpu/subgroups';
import { bitsOf } from '../../../tensor/bits';
import { ALL_SHADERS } from '../../testing/all-shaders';
import { type OpCase, randomSource, reals } from '../../testing/case-tools';
import { deviceError } from '../../testing/device-error';
import { HARDWARE, TUNINGS } from '../../testing/hardware-tuning';
import { LaunchRunner } from '../../testing/run-launch';

let runner: LaunchRunner;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const wide = (op: string, shape: readonly number[], dim: number): OpCase => ({
  op,
  attrs: { dim },
  inputs: [reals(shape, randomSource(4))],
});

const CASES = ['ops/softmax', 'ops/log-softmax'].flatMap((op) => [
  [`${op} of rows`, wide(op, [5, 33], 1)],
  [`${op} of long rows`, wide(op, [9, 300], 1)],
  [`${op} over an inner dimension`, wide(op, [3, 40, 7], 1)],
]) as readonly (readonly [string, OpCase])[];

describe.each(TUNINGS)('agrees with the CPU, kernels of %s', (_, tuning) => {
  it.each(CASES)('%s', async (_name, made) => {
    const { error, value } = await deviceError(runner.tuned(tuning), made);
    expect(error, value).toBeLessThan(1e-5);
  });
});

it.each(CASES)('has the same bits with subgroups: %s', async (_, made) => {
  const size = must(runner.device.adapterInfo.subgroupMinSize, 'subgroups');
  const plain = await deviceError(runner.tuned(HARDWARE), made);
  const shuffling = runner.tuned(HARDWARE).withShaders(await withShuffles(ALL_SHADERS, size));
  const shuffled = await deviceError(shuffling, made);
  expect(bitsOf(shuffled.out)).toEqual(bitsOf(plain.out));
  expect(shuffled.gradients.map((own) => own && bitsOf(own))).toEqual(plain.gradients.map((own) => own && bitsOf(own)));
});

it('a NaN makes its row NaN, and no other one', async () => {
  const made = wide('ops/softmax', [10, 50], 1);
  at(made.inputs, 0).data[75] = Number.NaN;
  const { out } = await deviceError(runner.tuned(HARDWARE), made);
  expect(Array.from(out, Number.isNaN)).toEqual(Array.from(out, (_, i) => i >= 50 && i < 100));
});
