/**
 * The mechanism under all operators that only move elements (transpose, slice, cat, pad, expand ...): an optional fill
 * of the output, then strided copies of inputs into it. An operator lists its copies; this file turns them into two
 * kernels, 'shape/fill' and 'shape/copy', or into loops on the CPU. Bits are copied, so int32 and NaN pass unchanged.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { Attrs, DenseLaunch, GradientContext, OpDef, OpTypes, TensorType, ValueId } from '../../op';

/** output[to + sum c_d toStrides_d] = input[from + sum c_d fromStrides_d] for all coordinates c below `sizes`. */
export interface StridedMove {
  readonly input: number;
  readonly output: number;
  readonly sizes: readonly number[];
  readonly from: number;
  readonly fromStrides: readonly number[];
  readonly to: number;
  readonly toStrides: readonly number[];
}

export interface Moves {
  /** The value of an output's elements that no move writes; absent if the moves cover the output. */
  readonly fill?: number;
  readonly moves: readonly StridedMove[];
}

export interface MoveOp {
  readonly name: string;
  readonly infer: (inputs: readonly TensorType[], attrs: Attrs) => readonly TensorType[];
  readonly gradient?: (context: GradientContext) => readonly (ValueId | undefined)[];
  readonly plan: (types: OpTypes) => Moves;
}

const MAX_RANK = 6;

/** Drops dimensions of size 1 and merges neighbours that are contiguous on both sides. */
export function collapse(move: StridedMove): StridedMove {
  const sizes: number[] = [];
  const fromStrides: number[] = [];
  const toStrides: number[] = [];
  move.sizes.forEach((size, d) => {
    if (size === 1) return;
    const [from, to] = [at(move.fromStrides, d), at(move.toStrides, d)];
    const last = sizes.length - 1;
    if (last >= 0 && fromStrides[last] === from * size && toStrides[last] === to * size) {
      sizes[last] = (sizes[last] as number) * size;
      fromStrides[last] = from;
      toStrides[last] = to;
    } else {
      sizes.push(size);
      fromStrides.push(from);
      toStrides.push(to);
    }
  });
  if (sizes.length <= MAX_RANK) return { ...move, sizes, fromStrides, toStrides };
  throw new LockstepError('shape', `tensors of more than ${MAX_RANK} dimensions cannot be rearranged in this way`);
}

/** The same move in units of four elements, if both sides allow it. */
function byFours(move: StridedMove): StridedMove | undefined {
  const last = move.sizes.length - 1;
  if (last < 0 || move.fromStrides[last] !== 1 || move.toStrides[last] !== 1) return undefined;
  const rest = [...move.fromStrides.slice(0, last), ...move.toStrides.slice(0, last)];
  if ([...rest, move.from, move.to, at(move.sizes, last)].some((v) => v % 4 !== 0)) return undefined;
  const quarter = (values: readonly number[]) => values.map((v, d) => (d === last ? v : v / 4));
  return {
    ...move,
    sizes: move.sizes.map((v, d) => (d === last ? v / 4 : v)),
    from: move.from / 4,
    fromStrides: quarter(move.fromStrides),
    to: move.to / 4,
    toStrides: quarter(move.toStrides),
  };
}

function lowerMove(move: StridedMove, types: OpTypes): DenseLaunch {
  const collapsed = collapse(move);
  // int32 is not copied as float vectors: small integers are denormal floats, which a GPU may flush to 0.
  const fours = at(types.outputs, move.output).dtype === 'f32' ? byFours(collapsed) : undefined;
  const { sizes, from, fromStrides, to, toStrides } = fours ?? collapsed;
  const six = (values: readonly number[], filler: number) =>
    Array.from({ length: MAX_RANK }, (_, d) => values[d] ?? filler);
  const n = elements(sizes);
  return {
    kind: 'dense',
    kernel: fours ? 'shape/copy-vec4' : 'shape/copy',
    constants: { RANK: Math.max(1, sizes.length) },
    bindings: [move.input, types.inputs.length + move.output],
    params: [n, ...six(sizes, 1).slice(1), from, ...six(fromStrides, 0), to, ...six(toStrides, 0)],
    workgroups: grid(n),
  };
}

function lowerFill(value: number, operand: number, { shape, dtype }: TensorType): DenseLaunch {
  const bits = new DataView(new ArrayBuffer(4));
  if (dtype === 'f32') bits.setFloat32(0, value);
  else bits.setInt32(0, value);
  const n = elements(shape);
  return {
    kind: 'dense',
    kernel: 'shape/fill',
    bindings: [operand],
    params: [n, bits.getUint32(0)],
    workgroups: grid(n),
  };
}

function cpuMove(move: StridedMove, x: HostArray, y: HostArray): void {
  const { sizes, from, fromStrides, to, toStrides } = collapse(move);
  const last = sizes.length - 1;
  if (last < 0) {
    y[to] = x[from] as number;
    return;
  }
  const [n, step, stride] = [at(sizes, last), at(fromStrides, last), at(toStrides, last)];
  const rows = elements(sizes.slice(0, last));
  const c = new Int32Array(Math.max(1, last));
  for (let row = 0, i = from, j = to; row < rows; row++) {
    if (step === 1 && stride === 1 && n > 32) y.set(x.subarray(i, i + n), j);
    else for (let k = 0, p = i, q = j; k < n; k++, p += step, q += stride) y[q] = x[p] as number;
    // Counts the outer coordinates up, like an odometer.
    for (let d = last - 1; d >= 0; d--) {
      const size = sizes[d] as number;
      i += fromStrides[d] as number;
      j += toStrides[d] as number;
      c[d] = (c[d] as number) + 1;
      if ((c[d] as number) < size) break;
      i -= size * (fromStrides[d] as number);
      j -= size * (toStrides[d] as number);
      c[d] = 0;
    }
  }
}

export function moveOp({ name, infer, gradient, plan }: MoveOp): OpDef {
  return {
    name,
    infer,
    ...(gradient ? { gradient } : {}),
    cpu({ inputs, outputs, inputTypes, outputTypes, attrs }) {
      const { fill, moves } = plan({ inputs: inputTypes, outputs: outputTypes, attrs });
      if (fill !== undefined) for (const y of outputs) y.fill(fill);
      for (const move of moves) cpuMove(move, at(inputs, move.input), at(outputs, move.output));
    },
    lower(types) {
      const { fill, moves } = plan(types);
      const count = types.inputs.length;
      const fills = fill === undefined ? [] : types.outputs.map((type, k) => lowerFill(fill, count + k, type));
      return [...fills, ...moves.map((move) => lowerMove(move, types))];
    },
    flops: () => 0,
  };
}
