/** The tests of optimisers and clipping as Programs run them, for either executor: torch's cases, replicas and parameters spread over devices. */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import optim from '../../optim/fixtures/optim.json';
import { optimizerState } from '../../optim/optimizer';
import {
  barAt,
  GRADIENTS,
  GROUP_CASES,
  INITIAL,
  maxDistance,
  OPTIMIZER_CASES,
  type OptimizerCase,
  optimizerConfig,
} from '../../optim/testing/torch-cases';
import type { Program } from '../../program/instruction';
import type { Executor } from '../../runtime/executor';
import { noise } from '../../runtime/webgpu/testing/programs';
import { decodeF32, type StoredTensor } from '../../tensor/fixtures/decode';
import { elements, type Shape } from '../../tensor/shape';
import { type OptimizerRun, optimizerProgram, runOptimizer } from './optimizer-run';

const SHAPES = { a: [3, 4], b: [5] };
const named = ([a, b]: readonly Float32Array[]) => ({ a: must(a, 'a'), b: must(b, 'b') });
const SGD = { optimizer: optimizerConfig('SGD', { lr: 0.1 }), scheduler: undefined, paramGroups: [] };

export function optimizerSuite(open: (program: Program) => Promise<Executor>): void {
  const go = async (
    run: OptimizerRun,
    start: Readonly<Record<string, Float32Array>>,
    steps: readonly Readonly<Record<string, Float32Array>>[],
  ) => {
    const program = optimizerProgram(run);
    const executor = await open(program);
    try {
      return await runOptimizer(executor, program, run, start, steps);
    } finally {
      executor.dispose();
    }
  };

  test.each(OPTIMIZER_CASES.map((c) => [c.name, c] as const))('%s', async (_, c: OptimizerCase) => {
    const run: OptimizerRun = { config: c.config, shapes: SHAPES, placement: { replicas: 2 } };
    const after = await go(run, named(INITIAL()), GRADIENTS.map(named));
    for (const device of [0, 1]) {
      for (const [step, expected] of c.after) {
        const { values } = at(after, step - 1);
        for (const [i, name] of ['a', 'b'].entries())
          expect(
            maxDistance(values.get(`${device} ${name}`), expected[i]),
            `${name} after step ${step}`,
          ).toBeLessThanOrEqual(barAt(step));
      }
      for (const { name } of optimizerState(c.config)) {
        for (const [i, parameter] of ['a', 'b'].entries()) {
          const expected = must(at(c.finalState, i).get(name), name);
          const scale = Math.max(1, ...expected.map(Math.abs));
          const actual = at(after, 19).values.get(`${device} ${parameter}.${name}`);
          expect(maxDistance(actual, expected) / scale, `${name} of ${parameter}`).toBeLessThanOrEqual(2e-6);
        }
      }
    }
  });

  test.each(GROUP_CASES.map((c) => [c.name, c] as const))('groups, recorded by torch 1.13.1: %s', async (_, c) => {
    const shapes = Object.fromEntries(Object.keys(c.start).map((name) => [name, [5]]));
    for (const placement of ['single', { replicas: 2 }, { split: 2 }] as const) {
      const found = await go({ config: c.config, shapes, placement }, c.start, c.grads);
      for (const [k, { values }] of found.entries()) {
        for (const [key, value] of values) {
          const expected = c.after[k]?.[key.slice(2)];
          if (expected) expect(maxDistance(value, expected), `${key} after step ${k + 1}`).toBeLessThanOrEqual(2e-6);
        }
      }
    }
  });

  describe('clip_grad_norm_', () => {
    test.each(optim.clip.filter((c) => c.norm_type === 2))('max_norm $max_norm', async (c) => {
      const config = { ...SGD, clipGradNorm: c.max_norm ?? 0 };
      for (const placement of ['single', { replicas: 2 }, { split: 2 }] as const) {
        const [after] = await go({ config, shapes: SHAPES, placement }, named(INITIAL()), [named(at(GRADIENTS, 0))]);
        for (const norm of must(after, 'step').norms) expect(norm).toBeCloseTo(c.total_norm ?? 0, 5);
        for (const [i, stored] of (c.grads_after as StoredTensor[]).entries()) {
          const name = `${placement !== 'single' && 'split' in placement ? i : 0} ${'ab'.charAt(i)}.grad`;
          expect(maxDistance(after?.values.get(name), decodeF32(stored)), name).toBeLessThanOrEqual(1e-6);
        }
      }
    });

    test('many sizes, on one device and over several, against a sum in double precision', async () => {
      const shapes: Record<string, Shape> = { a: [1], b: [16], c: [17], d: [257, 5], e: [1031], f: [3] };
      const filled = (seed: number) =>
        Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, noise(elements(shape), seed + i)]));
      const gradients = filled(7);
      const squares = Object.values(gradients).flatMap((g) => [...g].map((value) => value * value));
      const expected = Math.sqrt(squares.reduce((sum, value) => sum + value, 0));
      const config = { ...SGD, clipGradNorm: 1 };
      for (const placement of ['single', { replicas: 3 }, { split: 3 }] as const) {
        const start = filled(1);
        const after = at(await go({ config, shapes, placement }, start, [gradients]), 0);
        expect(after.norms.length).toBe(placement === 'single' ? 1 : 3);
        for (const norm of after.norms) expect(Math.abs(norm - expected) / expected).toBeLessThanOrEqual(3e-7);
        for (const [key, value] of after.values) {
          const name = key.slice(2);
          const gradient = gradients[name];
          const before = start[name];
          if (!gradient || !before) continue;
          const moved = before.map((p, i) => p - (0.1 * at(gradient, i)) / (expected + 1e-6));
          expect(maxDistance(value, moved), key).toBeLessThanOrEqual(1e-6);
        }
      }
    });

    test('more sums than one workgroup takes', async () => {
      const gradient = noise(1_100_003, 3);
      const expected = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
      const run: OptimizerRun = {
        config: { ...SGD, clipGradNorm: 1 },
        shapes: { a: [gradient.length] },
        placement: 'single',
      };
      const [after] = await go(run, { a: new Float32Array(gradient.length) }, [{ a: gradient }]);
      expect(Math.abs(at(must(after, 'step').norms, 0) - expected) / expected).toBeLessThanOrEqual(3e-7);
      const clipped = gradient.map((value) => value / expected);
      expect(maxDistance(after?.values.get('0 a.grad'), clipped)).toBeLessThanOrEqual(1e-9);
    });

    test('a NaN reaches every gradient, zeros stay zeros', async () => {
      const config = { ...SGD, clipGradNorm: 1 };
      const run: OptimizerRun = { config, shapes: { a: [3], b: [2] }, placement: 'single' };
      const zeros = { a: new Float32Array(3), b: new Float32Array(2) };
      const broken = { a: Float32Array.of(1, Number.NaN, 2), b: Float32Array.of(1, 2) };
      const [still, nan] = await go(run, zeros, [zeros, broken]);
      expect(must(still, 'first step').norms).toEqual([0]);
      expect(must(still, 'first step').values.get('0 a.grad')).toEqual(new Float32Array(3));
      expect(must(nan, 'second step').values.get('0 b.grad')?.every(Number.isNaN)).toBe(true);
    });
  });
}
