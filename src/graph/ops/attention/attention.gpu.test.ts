/** Attention on a real WebGPU device at sizes of real models, at extreme scores, and with NaN under the causal mask. */
import { beforeAll, describe, expect, it } from 'vitest';
import { place } from '../../../../scripts/tier';
import { at, must } from '../../../base/invariant';
import { type CaseInput, type OpCase, randomSource, reals } from '../../testing/case-tools';
import { deviceError } from '../../testing/device-error';
import { TUNINGS } from '../../testing/hardware-tuning';
import { LaunchRunner } from '../../testing/run-launch';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const packed = (batch: number, length: number, heads: number, headDim: number, causal: boolean): OpCase => ({
  op: 'attention/self-attention',
  attrs: { heads, causal },
  inputs: [reals([batch, length, 3 * heads * headDim], randomSource(length))],
});
const separate = (queries: number, keys: number, headDim: number, causal: boolean): OpCase => {
  const tensor = (length: number): CaseInput => reals([1, 2, length, headDim], randomSource(length + headDim));
  return { op: 'attention/attention', attrs: { causal }, inputs: [tensor(queries), tensor(keys), tensor(keys)] };
};

describe.each(TUNINGS)('kernels of %s', (_, tuning) => {
  const run = (made: OpCase) => deviceError(must(runner, 'runner').tuned(tuning), made);

  describe('agrees with the CPU', () => {
    it.each([
      ['context of the GPT benchmark', packed(2, 64, 4, 32, true)],
      ['long sequence', packed(1, 1024, 1, 2, true)],
    ])('%s', place({ rest: 'shorter ones have the same kernels' }), isThatOfTheCpu);
    it.each([
      ['wide heads', packed(1, 17, 1, 128, false)],
      ['odd everything', packed(3, 37, 3, 13, true)],
      ['heads of more than 32 elements', packed(2, 35, 2, 33, true)],
      ['heads of 64 elements, not causal', packed(1, 18, 2, 64, false)],
      ['more keys than queries', separate(19, 67, 6, false)],
      ['more queries than keys, causal', separate(67, 19, 6, true)],
      ['more keys than queries, causal', separate(5, 70, 3, true)],
    ])('%s', isThatOfTheCpu);

    async function isThatOfTheCpu(_name: string, made: OpCase): Promise<void> {
      const { error, value } = await run(made);
      expect(error, value).toBeLessThan(1e-5);
    }
  });

  it('keys that no query reaches get zero gradients', async () => {
    const { gradients } = await run(separate(5, 70, 3, true));
    const dk = must(gradients[1], 'dk');
    expect(Array.from(dk.slice(5 * 3, 70 * 3)).every((g) => g === 0)).toBe(true);
  });

  it('stays finite at scores of 1e4, where one key takes all', async () => {
    const made = packed(1, 20, 2, 8, false);
    const data = at(made.inputs, 0).data;
    data.forEach((v, i) => {
      data[i] = v * 60;
    });
    const { out, gradients } = await run(made);
    expect([...out, ...must(gradients[0], 'dqkv')].every(Number.isFinite)).toBe(true);
  });

  it('keeps NaN of one query to its row and the keys it reaches', async () => {
    const made = separate(24, 24, 4, true);
    const nan = 9;
    at(made.inputs, 0).data[nan * 4 + 1] = Number.NaN;
    const { out, gradients } = await run(made);
    const rowsWithNan = (values: ArrayLike<number>) =>
      Array.from({ length: 24 }, (_, t) => t).filter((t) => [0, 1, 2, 3].some((e) => Number.isNaN(values[t * 4 + e])));
    expect(rowsWithNan(out)).toEqual([nan]);
    expect(rowsWithNan(must(gradients[0], 'dq'))).toEqual([nan]);
    for (const which of [1, 2])
      expect(rowsWithNan(must(gradients[which], 'gradient'))).toEqual(expect.arrayContaining([0, 5, nan]));
  });
});
