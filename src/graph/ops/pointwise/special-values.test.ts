/**
 * What the unary operators make of NaN, infinities and zeros, and their gradients there, against what torch 1.13 gives
 * on the CPU.
 */
import { expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { CpuScratch } from '../../cpu-scratch';
import type { Attrs } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';

const [NAN, INF] = [Number.NaN, Number.POSITIVE_INFINITY];
const X = [NAN, INF, -INF, 0, -0, 1];

/** torch's y and dx for the six values of X, with dy = 1. */
const TABLE: readonly (readonly [
  op: string,
  attrs: Attrs,
  y: readonly number[],
  dx: readonly number[],
  saved: 'x' | 'y',
])[] = [
  ['ops/relu', {}, [NAN, INF, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1], 'y'],
  ['ops/tanh', {}, [NAN, 1, -1, 0, 0, 0.76159418], [NAN, 0, 0, 1, 1, 0.4199743], 'y'],
  ['ops/sigmoid', {}, [NAN, 1, 0, 0.5, 0.5, 0.73105859], [NAN, 0, 0, 0.25, 0.25, 0.19661193], 'y'],
  ['ops/leaky-relu', {}, [NAN, INF, -INF, 0, 0, 1], [0.01, 1, 0.01, 0.01, 0.01, 1], 'x'],
  ['ops/elu', {}, [NAN, INF, -1, 0, 0, 1], [1, 1, 0, 1, 1, 1], 'x'],
  ['ops/silu', {}, [NAN, INF, NAN, 0, 0, 0.73105859], [NAN, NAN, NAN, 0.5, 0.5, 0.92767054], 'x'],
  ['ops/softplus', {}, [NAN, INF, 0, Math.LN2, Math.LN2, 1.31326163], [NAN, 1, 0, 0.5, 0.5, 0.7310586], 'x'],
  ['ops/exp', {}, [NAN, INF, 0, 1, 1, 2.71828175], [NAN, INF, 0, 1, 1, 2.71828175], 'y'],
  ['ops/abs', {}, [NAN, INF, INF, 0, 0, 1], [0, 1, -1, 0, 0, 1], 'x'],
  ['ops/square', {}, [NAN, INF, INF, 0, 0, 1], [NAN, INF, -INF, 0, 0, 2], 'x'],
  ['ops/log', {}, [NAN, INF, NAN, -INF, -INF, 0], [NAN, 0, 0, INF, -INF, 1], 'x'],
  ['ops/sqrt', {}, [NAN, INF, NAN, 0, 0, 1], [NAN, 0, NAN, INF, -INF, 0.5], 'y'],
  ['ops/rsqrt', {}, [NAN, 0, NAN, INF, -INF, 1], [NAN, 0, NAN, -INF, INF, -0.5], 'y'],
  ['ops/pow', { exponent: 3 }, [NAN, INF, -INF, 0, 0, 1], [NAN, INF, INF, 0, 0, 3], 'x'],
  ['ops/pow', { exponent: -1 }, [NAN, 0, 0, INF, -INF, 1], [NAN, 0, 0, -INF, -INF, -1], 'x'],
  ['ops/pow', { exponent: 1 }, [NAN, INF, -INF, 0, 0, 1], [1, 1, 1, 1, 1, 1], 'x'],
  ['ops/pow', { exponent: 0 }, [1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], 'x'],
  ['ops/clamp', { min: -1, max: 1 }, [NAN, 1, -1, 0, 0, 1], [0, 0, 0, 1, 1, 1], 'x'],
];

it.each(TABLE)('%s %o', (name, attrs, expectedY, expectedDx, saved) => {
  const type = { shape: [X.length], dtype: 'f32' } as const;
  const run = (op: string, inputs: readonly Float32Array[]): number[] => {
    const y = new Float32Array(X.length);
    const inputTypes = inputs.map(() => type);
    must(ALL_OPS.get(op), op).cpu({
      inputs,
      outputs: [y],
      inputTypes,
      outputTypes: [type],
      attrs,
      scratch: new CpuScratch(),
    });
    return [...y];
  };
  const x = Float32Array.from(X);
  const y = run(name, [x]);
  expectClose(y, expectedY);
  expectClose(
    run(`${name}-grad`, [new Float32Array(X.length).fill(1), saved === 'x' ? x : Float32Array.from(y)]),
    expectedDx,
  );
});

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expected.forEach((e, i) => {
    const a = at(actual, i);
    if (Number.isFinite(e)) expect(a, `of ${X[i]}`).toBeCloseTo(e, 6);
    else expect(a, `of ${X[i]}`).toBe(e);
  });
}
