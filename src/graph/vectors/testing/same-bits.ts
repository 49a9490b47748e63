/** Runs an operator twice, by its plain kernel and by that of WebAssembly, and holds them bit by bit. For tests. */
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

/** Without a row of the table only products go by WebAssembly. Says whether a kernel ran. */
export function expectSameBits(
  { op, types, attrs, data, inPlace = () => undefined, sameOutputs }: Run,
  vectorOp?: VectorOp,
): boolean {
  const outputTypes = op.infer(types, attrs);
  const all = [...types, ...outputTypes];
  const vectors = room(all.map(({ shape }) => 4 * elements(shape) + 64).reduce((sum, bytes) => sum + bytes, 0));
  const results = [false, true].map((fast) => {
    const make = ({ dtype, shape }: TensorType) =>
      fast ? vectors.array(dtype, elements(shape)) : allocate(dtype, elements(shape));
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
    expect(comparable(at(fast.outputs, k)), `output ${k} of ${name}`).toEqual(comparable(expected));
  });
  plain.inputs.forEach((expected, k) => {
    expect(comparable(at(fast.inputs, k)), `input ${k} of ${name}`).toEqual(comparable(expected));
  });
  return fast.ran;
}
