/**
 * The two forms of the kernels that convert float16, in whole numbers and with WGSL's f16, give the bits of the CPU for
 * every half and for many floats; and the check of a device notices every way in which a driver's conversions may
 * differ.
 *
 * @module-tag rest: training/parity/mixed-precision.gpu.test.ts compares whole runs in both forms.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { runAttrs } from '../../collectives/copied-runs';
import { HALF_OPS } from '../../collectives/halves/half-ops';
import { CpuScratch } from '../../graph/cpu-scratch';
import { dense, grid } from '../../graph/launch';
import type { Attrs, OpDef, OpTypes } from '../../graph/op';
import { PRECISION_OPS } from '../../graph/ops/precision';
import { ALL_SHADERS } from '../../graph/testing/all-shaders';
import { LaunchRunner } from '../../graph/testing/run-launch';
import { bitsOf } from '../../tensor/bits';
import { halvesOf } from '../../tensor/half-bits';
import type { HostArray } from '../../tensor/shape';
import { type Float16Kernels, float16Kernels } from './float16';

const HALVES = 65_536;
const { toFloat } = halvesOf('f16');

let runner: LaunchRunner;
let kernels: Float16Kernels;

beforeAll(async () => {
  runner = await LaunchRunner.open();
  kernels = await float16Kernels({ device: runner.device, compiled: {} }, ALL_SHADERS);
});

const hasF16 = (): boolean => runner.device.features.has('shader-f16');

test('the adapter of these tests converts with f16 if it has shader-f16', () => {
  expect(kernels.float16).toBe(hasF16() ? 'f16' : 'packed');
});

/** Every half as float32, its neighbours in float32, the middles between halves and their neighbours, and any bits. */
function floats(): Float32Array {
  const bits = new Int32Array(8 * HALVES);
  const values = new Float32Array(bits.buffer);
  for (let half = 0; half < HALVES; half++) {
    const place = 8 * half;
    values[place] = toFloat(half);
    bits[place + 1] = at(bits, place) + 1;
    bits[place + 2] = at(bits, place) - 1;
    values[place + 3] = (toFloat(half) + toFloat((half + 1) & 0xffff)) / 2;
    bits[place + 4] = at(bits, place + 3) + 1;
    bits[place + 5] = at(bits, place + 3) - 1;
    bits[place + 6] = Math.imul(half, 0x9e3779b1);
    bits[place + 7] = Math.imul(half + HALVES, 0x85ebca6b);
  }
  return values;
}

/** Every pair of a half with one that is a multiple of `step` away: words of two halves. */
const words = (step: number): Int32Array =>
  Int32Array.from({ length: HALVES }, (_, half) => half | (Math.imul(half, step) << 16));

interface Case {
  readonly op: OpDef;
  readonly attrs: Attrs;
  readonly inputs: readonly HostArray[];
  /** What the outputs hold before, if they are updated. */
  readonly outputs: readonly (HostArray | number)[];
}

const op = (name: string): OpDef => must(HALF_OPS.get(name) ?? PRECISION_OPS.find((each) => each.name === name), name);
const whole = floats();
const packed = words(7919);
const run = (offset: number, length: number) =>
  runAttrs([{ from: { operand: 0, offset }, to: { operand: 0, offset: 1 }, length }], 'f16', 1 / 3);
const f16: Attrs = { format: 'f16' };

const CASES: Readonly<Record<string, Case>> = {
  cast: { op: op('precision/cast'), attrs: f16, inputs: [whole], outputs: [whole.length] },
  round: { op: op('precision/round'), attrs: f16, inputs: [whole], outputs: [whole] },
  pack: { op: op('precision/pack'), attrs: f16, inputs: [whole], outputs: [whole, new Int32Array(whole.length / 2)] },
  unpack: {
    op: op('precision/unpack'),
    attrs: { ...f16, shape: [2 * HALVES - 1] },
    inputs: [packed],
    outputs: [2 * HALVES - 1],
  },
  'a bucket, divided': {
    op: op('halves/encode'),
    attrs: { ...f16, divisor: 3 },
    inputs: [whole],
    outputs: [new Int32Array(whole.length / 2)],
  },
  'a sum': {
    op: op('halves/add'),
    attrs: { ...f16, to: 0, length: HALVES },
    inputs: [packed, words(31)],
    outputs: [words(31)],
  },
  'a bucket, back': { op: op('halves/decode'), attrs: f16, inputs: [packed], outputs: [2 * HALVES] },
  'a copy of floats': {
    op: op('halves/copy'),
    attrs: run(2, whole.length - 3),
    inputs: [whole],
    outputs: [new Int32Array(whole.length / 2)],
  },
  'a scaled copy': {
    op: op('halves/copy'),
    attrs: run(3, 2 * HALVES - 4),
    inputs: [packed],
    outputs: [new Int32Array(HALVES)],
  },
};

async function bitsIn(device: LaunchRunner, { op: own, attrs, inputs, outputs }: Case): Promise<Int32Array[]> {
  const typeOf = (array: HostArray | number) =>
    typeof array === 'number'
      ? ({ shape: [array], dtype: 'f32' } as const)
      : ({ shape: [array.length], dtype: array instanceof Int32Array ? 'i32' : 'f32' } as const);
  const types: OpTypes = { attrs, inputs: inputs.map(typeOf), outputs: outputs.map(typeOf) };
  const before = outputs.map((output) => (typeof output === 'number' ? undefined : output));
  return at(await device.run(own, types, [[...inputs, ...before]]), 0).map(bitsOf);
}

/** JavaScript does not keep the sign of a NaN, so results are compared with the CPU as if all NaN were one. */
const plainHalf = (half: number): number => ((half & 0x7fff) > 0x7c00 ? 0x7e00 : half);
const plainHalves = (word: number): number => plainHalf(word & 0xffff) | (plainHalf(word >>> 16) << 16);
const plainFloat = (bits: number): number => ((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits);

function onCpu({ op: own, attrs, inputs, outputs }: Case): HostArray[] {
  const results = outputs.map((output) => (typeof output === 'number' ? new Float32Array(output) : output.slice()));
  const typesOf = (arrays: readonly HostArray[]) =>
    arrays.map(({ length }) => ({ shape: [length], dtype: 'f32' as const }));
  const types = { inputTypes: typesOf(inputs), outputTypes: typesOf(results) };
  own.cpu({ inputs, outputs: results, ...types, attrs, scratch: new CpuScratch() });
  return results;
}

const differences = (a: Int32Array, b: Int32Array): number =>
  a.reduce((count, bits, i) => count + (bits === at(b, i) ? 0 : 1), Math.abs(a.length - b.length));

test.each(Object.entries(CASES))('%s: both forms have the bits of the CPU', async (_, each) => {
  const inWholeNumbers = await bitsIn(runner, each);
  expect(inWholeNumbers.some((output) => new Set(output).size > 10_000)).toBe(true);
  // An adapter without shader-f16 has one form: nothing to compare.
  const withF16 = await bitsIn(runner.withShaders(kernels.shaders), each);
  const expected = onCpu(each);
  withF16.forEach((output, k) => {
    expect(differences(output, at(inWholeNumbers, k))).toBe(0);
    const cpu = at(expected, k);
    const plain = cpu instanceof Int32Array ? plainHalves : plainFloat;
    expect(differences(output.map(plain), bitsOf(cpu).map(plain))).toBe(0);
  });
});

test('a kernel that converts is compiled with f16, and no other kernel', () => {
  const changed = Object.entries(kernels.shaders).filter(([, text]) => text.startsWith('enable f16;'));
  const converts = Object.entries(ALL_SHADERS).filter(([, text]) => text.includes('fn to_half('));
  expect(converts.length).toBeGreaterThan(5);
  expect(changed.map(([id]) => id)).toEqual(hasF16() ? converts.map(([id]) => id) : []);
});

test('the shaders of the built site, without comments and indentation, take the same functions', async () => {
  const bare = (text: string) => text.replace(/ *\/\/.*$/gm, '').replace(/\n\s+/g, '\n');
  const shaders = Object.fromEntries(Object.entries(ALL_SHADERS).map(([id, text]) => [id, bare(text)]));
  const own = await float16Kernels({ device: runner.device, compiled: {} }, shaders);
  expect(own.float16).toBe(kernels.float16);
  const [[, each] = []] = Object.entries(CASES);
  const [bits] = await bitsIn(runner.withShaders(own.shaders), must(each, 'a case'));
  expect(differences(must(bits, 'bits'), at(await bitsIn(runner, must(each, 'a case')), 0))).toBe(0);
});

/** What WGSL allows a driver to do, and a few mistakes. */
const DRIVERS: Readonly<Record<string, readonly [string, string]>> = {
  'ties away from zero': ['(rest == middle && (whole & 1u) == 1u)', 'rest == middle'],
  'ties towards zero': ['(rest == middle && (whole & 1u) == 1u)', 'false'],
  'rounds towards zero': ['return whole + select', 'return whole + 0u * select'],
  'small floats become 0': ['if (size < 0x33000000u)', 'if (size < 0x38800000u)'],
  'small halves become 0': ['return sign | bitcast<u32>(f32(size) * 0x1p-24f);', 'return sign;'],
  'overflows to the largest half': ['{ return sign | 0x7c00u; } //', '{ return sign | 0x7bffu; } //'],
  'overflows only from 65536 on': [
    'if (size >= 0x477ff000u)',
    'if (size == 0x477ff000u) { return sign | 0x7bffu; } if (true && size > 0x477ff000u)',
  ],
  'loses the sign of zero': ['if (size < 0x33000000u) { return sign; }', 'if (size < 0x33000000u) { return 0u; }'],
  'has no infinity': ['if (size >= 0x7c00u) {', 'if (size > 0x7c00u) {'],
  'reads a NaN as infinity': ['0x7f800000u | ((size & 0x3ffu) << 13u)', '0x7f800000u'],
  'writes a NaN as infinity': ['return sign | 0x7e00u;', 'return sign | 0x7c00u;'],
};

describe('the check of a device', () => {
  const check: OpDef = {
    name: 'check',
    infer: () => [],
    cpu: () => {},
    lower: (types) => [dense('precision/check-halves', types, [HALVES], grid(HALVES))],
    flops: () => 0,
  };
  const wrongIn = async (device: LaunchRunner): Promise<number> => {
    const wrong = new Int32Array(4);
    return at(at(await bitsIn(device, { op: check, attrs: {}, inputs: [], outputs: [wrong] }), 0), 0);
  };
  const text = ALL_SHADERS['precision/check-halves'];

  test('passes conversions in whole numbers', async () => {
    expect(await wrongIn(runner)).toBe(0);
  });

  test('a device that fails, or that does not compile the check, keeps whole numbers', async () => {
    if (!hasF16()) return; // Without shader-f16 there is nothing to check.
    const errors: string[] = [];
    const note = ({ error }: GPUUncapturedErrorEvent) => errors.push(error.message);
    runner.device.addEventListener('uncapturederror', note);
    for (const changed of [text.replace('!is_exact(half)', 'true'), `${text} f16`]) {
      const shaders = { ...ALL_SHADERS, 'precision/check-halves': changed };
      const own = await float16Kernels({ device: runner.device, compiled: {} }, shaders);
      expect(own).toEqual({ shaders, float16: 'inexact' });
    }
    runner.device.removeEventListener('uncapturederror', note);
    expect(errors).toEqual([]);
  });

  test.each(Object.entries(DRIVERS))('a driver that %s fails', async (_, [from, to]) => {
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    expect(await wrongIn(runner.withShaders({ ...ALL_SHADERS, 'precision/check-halves': changed }))).toBeGreaterThan(0);
  });
});
