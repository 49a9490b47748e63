/**
 * A model in bfloat16 stores weights, gradients, optimiser states and running statistics in two bytes per element, and
 * the buckets of DDP, too. It stops and goes on to the bit, also from a checkpoint of a version that stored four bytes.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { tensorOf } from '../program/stored-tensor';
import type { ConfigInput } from '../protocol/config';
import type { MemoryCategory } from '../protocol/trace';
import { elements } from '../tensor/shape';
import { createBlueprint } from './blueprint';
import old from './checkpoint/fixtures/bfloat16-in-float32.json';
import { memoryOf } from './device-memory';
import { NET, SAME_BITS, savedAfter, stateOf, withTraining } from './testing/checkpoint-runs';
import { PLACEMENTS } from './testing/placements';
import { statefulBuffers } from './world-state';

const MODES = ['single', 'ddp'] as const;

/** Odd lengths: a weight of 21 elements, and vectors of 7 and 1. */
const ODD = {
  ...NET,
  compareSingle: false,
  precision: 'bf16',
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 7 },
      { type: 'BatchNorm1d', features: 7 },
      { type: 'Tanh' },
      { type: 'Linear', in: 7, out: 3 },
      { type: 'Tanh' },
      { type: 'Linear', in: 3, out: 1 },
    ],
  },
} as const satisfies ConfigInput;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(base64, 'base64'));

/** What the planner reserves for a tensor. */
const aligned = (bytes: number): number => 256 * Math.ceil(bytes / 256);

describe.each(MODES)('%s', (mode) => {
  test.each(['SGD', 'Adam'] as const)('%s: two bytes per element', (type) => {
    const optimizer = type === 'SGD' ? ({ type, momentum: 0.9 } as const) : ({ type } as const);
    const config = { ...ODD, mode, optimizer, clipGradNorm: 1, accumulate: 2 };
    const blueprint = createBlueprint(parseConfig(config), {});
    const full = createBlueprint(parseConfig({ ...config, precision: 'float32' }), {});
    const sizes = new Map(statefulBuffers(full.programs).map(({ spec }) => [spec.name, tensorOf(spec)]));
    const own = statefulBuffers(blueprint.programs);
    expect(new Set(own.map(({ spec }) => spec.name))).toEqual(new Set(sizes.keys()));
    let odd = 0;
    for (const { spec } of own) {
      const tensor = tensorOf(spec);
      expect(tensor, spec.name).toEqual(sizes.get(spec.name));
      if (/^scalars|grad_norm|num_batches|^loss/.test(spec.name)) continue;
      const { format } = must(spec.halves, spec.name);
      expect([format, spec.dtype, elements(spec.shape)]).toEqual([
        'bf16',
        'i32',
        Math.ceil(elements(tensor.shape) / 2),
      ]);
      odd += elements(tensor.shape) % 2;
    }
    expect(odd).toBeGreaterThan(mode === 'ddp' ? 20 : 10);
    const bytes = (
      category: MemoryCategory,
      name: RegExp,
      tensors: ReadonlyMap<string, { shape: readonly number[] }>,
    ) =>
      [...tensors].reduce((sum, [key, { shape }]) => (name.test(key) ? sum + aligned(2 * elements(shape)) : sum), 0) -
      at(memoryOf(blueprint), 0).byCategory[category];
    expect(bytes('parameter', /(weight|bias)$/, sizes)).toBe(0);
    expect(bytes('gradient', /\.grad$/, sizes)).toBe(0);
    const buckets = blueprint.programs
      .flatMap(({ lanes }) => lanes.flatMap(({ buffers }) => buffers))
      .filter(({ category }) => category === 'bucket');
    expect(buckets.length > 0).toBe(mode === 'ddp');
    for (const { name, halves } of buckets) expect(halves?.format, name).toBe('bf16');
  });

  test.each(PLACEMENTS)('$title: a run that stops ends with the bits of one that does not', async ({ placement }) => {
    const config = { ...ODD, mode, placement, accumulate: 2 };
    const straight = await withTraining(config, {}, async (t) => {
      await t.run(9);
      return stateOf(t);
    });
    const files = await savedAfter(config, 5);
    const resumed = await withTraining({ ...config, resume: 'run' }, files, async (t) => {
      expect(t.blueprint.notices.map(({ text }) => text).join()).toMatch(SAME_BITS);
      await t.run(4);
      return stateOf(t);
    });
    expect(resumed).toEqual(straight);
  });
});

test('a checkpoint of a version that stored float32 goes on with the bits that this version had', async () => {
  const files = Object.fromEntries(Object.entries(old.files).map(([name, base64]) => [name, bytesOf(base64)]));
  const config = { ...(old.config as ConfigInput), resume: 'run' };
  const { devices } = await withTraining(config, files, async (t) => {
    await t.run(5);
    return t.weights();
  });
  for (const [device, weights] of old.weights.entries())
    for (const [name, base64] of Object.entries(weights))
      expect(at(devices, device).get(name), `${name} of rank ${device}`).toEqual(
        new Float32Array(bytesOf(base64).buffer),
      );
});

test('rank 0 reads a checkpoint and broadcasts it as halves', async () => {
  const config: ConfigInput = { ...ODD, mode: 'ddp' };
  const straight = await withTraining(config, {}, async (t) => {
    await t.run(6);
    return stateOf(t);
  });
  const files = await savedAfter(config, 4);
  const resumed = await withTraining({ ...config, resume: 'run', resumeBy: 'rank0' }, files, async (t) => {
    await t.run(2);
    return stateOf(t);
  });
  expect(resumed).toEqual(straight);
});
