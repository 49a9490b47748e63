/**
 * Runs an operator twice, by its plain kernel and by that of WebAssembly, and compares every bit. Tensors begin at any
 * multiple of four bytes, and what surrounds them must stay as it was. For tests.
 */
import { expect } from 'vitest';
import { at, must } from '../../../base/invariant';
import { allocate, elements, type HostArray } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import type { Attrs, OpDef, TensorType } from '../../op';
import { KERNELS } from '..';
import type { VectorOp } from '../vector-op';
import { Vectors } from '../vectors';

export interface Run {
  readonly op: OpDef;
  readonly types: readonly TensorType[];
  readonly attrs: Attrs;
  readonly data: readonly HostArray[];
  /** Which input an output is, where the operator works in place. */
  readonly inPlace?: (output: number) => number | undefined;
  /** How many of the outputs are compared: others are scratch memory of the GPU. Absent: all. */
  readonly sameOutputs?: number;
}

const bitsOf = (array: HostArray): Uint32Array =>
  new Uint32Array(array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength));

/** Bits, but all NaNs are one: which of them an addition gives is the machine's choice. */
const comparable = (array: HostArray): Uint32Array => {
  const bits = bitsOf(array);
  if (array instanceof Float32Array) for (const [i, v] of array.entries()) if (Number.isNaN(v)) bits[i] = 0x7fc00000;
  return bits;
};

/** One memory for many runs: making one takes longer than most of what is tested. */
const ROOM = 64 * 1024 * 1024;
let current: { readonly vectors: Vectors; left: number } | undefined;

function room(bytes: number): Vectors {
  if (!current || current.left < 2 * bytes) {
    const module = must(KERNELS, 'WebAssembly with vectors');
    const size = Math.max(ROOM, 2 * bytes);
    current = { vectors: must(Vectors.open(module, [size]), 'memory'), left: size };
  }
  current.left -= 2 * bytes;
  return current.vectors;
}

/** Number of elements around a tensor, which no kernel may write: 4 to 7 in front of the tensor. */
const MARGINS = 12;
/** A NaN that no operation makes. */
const UNTOUCHED = 0x7fc0_beef;

interface Placed {
  readonly array: HostArray;
  /** Whether all elements around the array are as they were. */
  readonly intact: () => boolean;
}

/** An array that begins `shift` elements behind a multiple of 64 bytes. */
function placed(vectors: Vectors, { dtype, shape }: TensorType, shift: number): Placed {
  const length = elements(shape);
  const { buffer, offset } = vectors.allocate(4 * (length + MARGINS));
  const words = new Int32Array(buffer, offset, length + MARGINS).fill(UNTOUCHED);
  const start = 4 + shift;
  const address = offset + 4 * start;
  const array = dtype === 'f32' ? new Float32Array(buffer, address, length) : new Int32Array(buffer, address, length);
  array.fill(0);
  const around = [words.subarray(0, start), words.subarray(start + length)];
  return { array, intact: () => around.every((part) => part.every((word) => word === UNTOUCHED)) };
}

/** Compares large arrays in a loop, because `toEqual` takes microseconds per element. */
function expectEqual(found: HostArray, expected: HostArray, message: string): void {
  const [a, b] = [comparable(found), comparable(expected)];
  if (a.length !== b.length || a.some((word, i) => word !== b[i])) expect(a, message).toEqual(b);
}

/** Without a row of the table only products go by WebAssembly. Says whether a kernel ran. */
export function expectSameBits(
  { op, types, attrs, data, inPlace = () => undefined, sameOutputs }: Run,
  vectorOp?: VectorOp,
): boolean {
  const outputTypes = op.infer(types, attrs);
  const all = [...types, ...outputTypes];
  const sizes = all.map(({ shape }) => 4 * (elements(shape) + MARGINS) + 64);
  const vectors = room(sizes.reduce((sum, bytes) => sum + bytes, 0));
  const margins: Placed[] = [];
  const results = [false, true].map((fast) => {
    const make = (type: TensorType): HostArray => {
      if (!fast) return allocate(type.dtype, elements(type.shape));
      margins.push(placed(vectors, type, (elements(type.shape) + margins.length) % 4));
      return at(margins, margins.length - 1).array;
    };
    const inputs = types.map((type, i) => {
      const array = make(type);
      array.set(at(data, i));
      return array;
    });
    const outputs = outputTypes.map((type, k) => {
      const own = inPlace(k);
      return own === undefined ? make(type).fill(type.dtype === 'f32' ? Number.NaN : -1) : at(inputs, own);
    });
    const scratch = new CpuScratch(fast ? vectors : undefined);
    const args = { inputs, outputs, inputTypes: types, outputTypes, attrs, scratch };
    const run = fast ? vectorOp?.(args, vectors) : undefined;
    if (run) run();
    else op.cpu(args);
    return { ran: run !== undefined, outputs, inputs };
  });
  const [plain, fast] = [at(results, 0), at(results, 1)];
  const name = `${op.name} of ${JSON.stringify(types.map(({ shape }) => shape))} ${JSON.stringify(attrs)}`;
  plain.outputs.slice(0, sameOutputs).forEach((expected, k) => {
    expectEqual(at(fast.outputs, k), expected, `output ${k} of ${name}`);
  });
  plain.inputs.forEach((expected, k) => {
    expectEqual(at(fast.inputs, k), expected, `input ${k} of ${name}`);
  });
  margins.forEach(({ intact }, k) => {
    if (!intact()) expect.fail(`the kernel of ${name} writes outside of tensor ${k}`);
  });
  return fast.ran;
}
