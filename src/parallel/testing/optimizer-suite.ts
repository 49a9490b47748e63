/**
 * The tests of optimisers and clipping as Programs run them, for either executor: torch's cases, replicas and
 * parameters spread over devices.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
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

/** Below the greatest of the gradients that noise() makes. */
const MAX_NORM = 0.25;

/** In double precision. */
function plainNorm(gradients: readonly Float32Array[], type: number | 'inf'): number {
  const sizes = gradients.flatMap((g) => [...g].map(Math.abs));
  if (type === 'inf') return sizes.reduce((most, size) => Math.max(most, size), 0);
  return sizes.reduce((sum, size) => sum + size ** type, 0) ** (1 / type);
}

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

  describe('clip_grad_norm_ and clip_grad_value_', () => {
    test.each(optim.clip)('recorded by torch 1.13.1: $max_norm $norm_type $clip_value', async (c) => {
      const clipGradNormType = c.norm_type === 'inf' ? 'inf' : Number(c.norm_type ?? 2);
      const config = { ...SGD, clipGradNorm: c.max_norm, clipGradNormType, clipGradValue: c.clip_value } as const;
      for (const placement of ['single', { replicas: 2 }, { split: 2 }] as const) {
        const [after] = await go({ config, shapes: SHAPES, placement }, named(INITIAL()), [named(at(GRADIENTS, 0))]);
        const { norms } = must(after, 'step');
        expect(norms.length).toBe(c.max_norm === undefined ? 0 : placement === 'single' ? 1 : 2);
        for (const norm of norms) expect(norm).toBeCloseTo(c.total_norm ?? 0, 5);
        for (const [i, stored] of (c.grads_after as StoredTensor[]).entries()) {
          const name = `${placement !== 'single' && 'split' in placement ? i : 0} ${'ab'.charAt(i)}.grad`;
          expect(maxDistance(after?.values.get(name), decodeF32(stored)), name).toBeLessThanOrEqual(1e-6);
        }
      }
    });

    test.each(['inf', 1, 2, 3, 0.5] as const)('many sizes, norm_type %s, against double precision', async (type) => {
      const shapes: Record<string, Shape> = { a: [1], b: [16], c: [17], d: [257, 5], e: [1031], f: [3] };
      const filled = (seed: number) =>
        Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, noise(elements(shape), seed + i)]));
      const gradients = filled(7);
      const expected = plainNorm(Object.values(gradients), type);
      const config = { ...SGD, clipGradNorm: MAX_NORM, clipGradNormType: type };
      // A GPU's pow() is less exact than its square root.
      const bar = type === 3 || type === 0.5 ? 3e-6 : 3e-7;
      for (const placement of ['single', { replicas: 3 }, { split: 3 }] as const) {
        const start = filled(1);
        const after = at(await go({ config, shapes, placement }, start, [gradients]), 0);
        expect(after.norms.length).toBe(placement === 'single' ? 1 : 3);
        for (const norm of after.norms) expect(Math.abs(norm - expected) / expected).toBeLessThanOrEqual(bar);
        for (const [key, value] of after.values) {
          const name = key.slice(2);
          const gradient = gradients[name];
          const before = start[name];
          if (!gradient || !before) continue;
          const moved = before.map((p, i) => p - (0.1 * MAX_NORM * at(gradient, i)) / (expected + 1e-6));
          expect(maxDistance(value, moved), key).toBeLessThanOrEqual(1e-6);
        }
      }
    });

    const MANY = 'more sums than one workgroup takes, norm_type %s';
    test.each([2] as const)(MANY, sumsMany);
    test.each([1, 'inf'] as const)(MANY, place({ rest: 'norm_type 2 sums as many' }), sumsMany);

    async function sumsMany(type: 1 | 2 | 'inf'): Promise<void> {
      const gradient = noise(1_100_003, 3);
      const expected = plainNorm([gradient], type);
      const run: OptimizerRun = {
        config: { ...SGD, clipGradNorm: MAX_NORM, clipGradNormType: type },
        shapes: { a: [gradient.length] },
        placement: 'single',
      };
      const [after] = await go(run, { a: new Float32Array(gradient.length) }, [{ a: gradient }]);
      expect(Math.abs(at(must(after, 'step').norms, 0) - expected) / expected).toBeLessThanOrEqual(3e-7);
      const clipped = gradient.map((value) => (MAX_NORM * value) / (expected + 1e-6));
      expect(maxDistance(after?.values.get('0 a.grad'), clipped)).toBeLessThanOrEqual(type === 'inf' ? 1e-6 : 1e-9);
    }

    test('both: first by norm, then by value', async () => {
      const config = { ...SGD, clipGradNorm: 2, clipGradNormType: 'inf', clipGradValue: 0.5 } as const;
      for (const placement of ['single', { split: 2 }] as const) {
        const run: OptimizerRun = { config, shapes: { a: [3], b: [2] }, placement };
        const start = { a: new Float32Array(3), b: new Float32Array(2) };
        const gradients = { a: Float32Array.of(8, 1, -1.5), b: Float32Array.of(-4, 0) };
        const { values, norms } = at(await go(run, start, [gradients]), 0);
        expect(new Set(norms)).toEqual(new Set([8]));
        const b = values.get(`${placement === 'single' ? 0 : 1} b.grad`);
        expect(maxDistance(values.get('0 a.grad'), Float32Array.of(0.5, 0.25, -0.375))).toBeLessThanOrEqual(1e-6);
        expect(maxDistance(b, Float32Array.of(-0.5, 0))).toBeLessThanOrEqual(1e-6);
      }
    });

    test('by value a NaN stays where it is and infinity is clipped', async () => {
      const run: OptimizerRun = {
        config: { ...SGD, clipGradValue: 0.5 },
        shapes: { a: [4], b: [2] },
        placement: 'single',
      };
      const gradients = {
        a: Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.25),
        b: Float32Array.of(-2, 0),
      };
      const after = at(await go(run, { a: new Float32Array(4), b: new Float32Array(2) }, [gradients]), 0);
      expect(after.values.get('0 a.grad')).toEqual(Float32Array.of(Number.NaN, 0.5, -0.5, 0.25));
      expect(after.values.get('0 b.grad')).toEqual(Float32Array.of(-0.5, 0));
      expect(after.norms).toEqual([]);
    });

    test.each([2, 1, 'inf', 3] as const)('norm_type %s: a NaN reaches every gradient, zeros stay', async (type) => {
      const config = { ...SGD, clipGradNorm: 1, clipGradNormType: type };
      const run: OptimizerRun = { config, shapes: { a: [3], b: [2] }, placement: 'single' };
      const zeros = { a: new Float32Array(3), b: new Float32Array(2) };
      const broken = { a: Float32Array.of(1, Number.NaN, 2), b: Float32Array.of(1, 2) };
      const infinite = { a: Float32Array.of(1, Number.NEGATIVE_INFINITY, 2), b: Float32Array.of(1, 2) };
      const [still, nan, endless] = await go(run, zeros, [zeros, broken, infinite]);
      expect(must(endless, 'third step').norms).toEqual([Number.POSITIVE_INFINITY]);
      expect(must(endless, 'third step').values.get('0 a.grad')).toEqual(Float32Array.of(0, Number.NaN, 0));
      expect(must(still, 'first step').norms).toEqual([0]);
      expect(must(still, 'first step').values.get('0 a.grad')).toEqual(new Float32Array(3));
      expect(must(nan, 'second step').values.get('0 b.grad')?.every(Number.isNaN)).toBe(true);
    });
  });
}
