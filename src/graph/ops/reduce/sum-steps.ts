/**
 * How a large sum is cut into launches: partial sums first, then sums of the partial sums, so that no invocation adds a
 * million numbers and no workgroup waits at a barrier. The intermediate results are further outputs of the operator.
 * The order of additions depends on the shape alone, and is the same on the CPU. Used by 'ops/sum', 'reduce/norm' and
 * the bias gradient of 'ops/linear-grad-params'.
 */
import { at } from '../../../base/invariant';
import type { HostArray } from '../../../tensor/shape';
import type { Extent } from '../../dims';
import { grid } from '../../launch';
import type { DenseLaunch, TensorType } from '../../op';

/** y[o, c] = sum over k of x[o, k * columns + c], for as long as k * columns + c < plane. */
export interface SumStep {
  readonly outer: number;
  readonly plane: number;
  readonly columns: number;
}

/** One invocation adds at most this many terms; for more, another launch is cheaper. */
const SEQUENTIAL_LIMIT = 1024;

/** Operand indices of the terms, the result, and the first scratch tensor; by default x, y, then scratch. */
export interface SumOperands {
  readonly x: number;
  readonly y: number;
  readonly scratch: number;
}

export interface SumForm {
  readonly divisor?: number;
  /** Adds squares and takes the root at the end: the 2-norm. */
  readonly norm?: boolean;
}

export function sumSteps(extents: readonly Extent[]): readonly SumStep[] {
  return extents.flatMap(({ outer, n, inner }) => {
    const steps: SumStep[] = [];
    let left = n;
    while (left > SEQUENTIAL_LIMIT) {
      const parts = Math.ceil(left / (left > 65_536 ? 256 : 64) / 4) * 4;
      // Part s adds the elements s, s + parts, s + 2 parts ...: neighbours in a workgroup read neighbours in memory.
      steps.push({ outer, plane: left * inner, columns: parts * inner });
      left = parts;
    }
    steps.push({ outer, plane: left * inner, columns: inner });
    return steps;
  });
}

/** Types of the intermediate results between the steps. */
export const scratchTypes = (steps: readonly SumStep[]): readonly TensorType[] =>
  steps.slice(0, -1).map(({ outer, columns }) => ({ shape: [outer * columns], dtype: 'f32' }));

export function lowerSum(
  steps: readonly SumStep[],
  form: SumForm = {},
  { x, y, scratch }: SumOperands = { x: 0, y: 1, scratch: 2 },
): readonly DenseLaunch[] {
  return steps.map(({ outer, plane, columns }, k) => {
    const last = k === steps.length - 1;
    const four = columns % 4 === 0 && plane % 4 === 0;
    return {
      kind: 'dense',
      kernel: four ? 'reduce/sum-vec4' : 'ops/sum',
      constants: { SQUARE: form.norm && k === 0 ? 1 : 0, ROOT: form.norm && last ? 1 : 0 },
      bindings: [k === 0 ? x : scratch + k - 1, last ? y : scratch + k],
      params: [outer, plane, columns, { f32: last ? (form.divisor ?? 1) : 1 }],
      workgroups: grid((outer * columns) / (four ? 4 : 1)),
    };
  });
}

/** `outputs`: the result, then the scratch tensors. */
export function cpuSum(
  steps: readonly SumStep[],
  x: HostArray,
  outputs: readonly HostArray[],
  form: SumForm = {},
): void {
  steps.forEach((step, k) => {
    const last = k === steps.length - 1;
    const from = k === 0 ? x : at(outputs, k);
    const to = last ? at(outputs, 0) : at(outputs, k + 1);
    addColumns(from, to, step, form.norm === true && k === 0);
    if (last && form.norm) for (let i = 0; i < to.length; i++) to[i] = Math.sqrt(to[i] as number);
    if (last && form.divisor !== undefined && form.divisor !== 1)
      for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) / form.divisor;
  });
}

/**
 * One step on the CPU. If rows are wide it runs row by row, so that memory is read in order; the order of additions
 * within a column is the same either way.
 */
function addColumns(x: HostArray, y: HostArray, { outer, plane, columns }: SumStep, square: boolean): void {
  for (let o = 0; o < outer; o++) {
    const start = o * plane;
    const out = o * columns;
    if (columns === 1) {
      let total = 0;
      for (let j = start; j < start + plane; j++) {
        const v = x[j] as number;
        total = Math.fround(total + (square ? Math.fround(v * v) : v));
      }
      y[out] = total;
      continue;
    }
    for (let c = 0; c < columns; c++) y[out + c] = 0;
    for (let row = 0; row < plane; row += columns) {
      const width = Math.min(columns, plane - row);
      for (let c = 0; c < width; c++) {
        const v = x[start + row + c] as number;
        y[out + c] = (y[out + c] as number) + (square ? Math.fround(v * v) : v);
      }
    }
  }
}
