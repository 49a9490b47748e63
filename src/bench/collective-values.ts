/**
 * The ranks' inputs for a checked collective, and the elements of a result that differ from torch.distributed's
 * definition. The values are small repeating whole numbers (for a product, powers of two), so that every sum is exact
 * and buffers of many MiB are checked element by element. Called by run-collectives.ts.
 */

import { type LabShape, labDtype } from '../lab/lab-program';
import type { ReduceOp } from '../protocol/collective';
import { allocate, type HostArray } from '../tensor/shape';

/** A prime, so that no chunk ends where the pattern does. */
const PERIOD = 4099;
const FACTORS = [-2, -1, -0.5, 0.5, 1, 2] as const;

function valueAt({ reduceOp, op }: LabShape, rank: number, i: number): number {
  const k = (i % PERIOD) * 7 + 13 * rank + ((i % PERIOD) >> 5);
  if (labDtype({ op, reduceOp }) === 'i32') return (k * 2654435761) & 255;
  return reduceOp === 'product' ? (FACTORS[k % FACTORS.length] ?? 1) : (k % 19) - 9;
}

export function collectiveInput(shape: LabShape, rank: number): HostArray {
  const pattern = patternOf((i) => valueAt(shape, rank, i));
  const values = allocate(labDtype(shape), shape.length);
  for (let i = 0; i < values.length; i++) values[i] = pattern[i % PERIOD] as number;
  return values;
}

export function wrongElements(shape: LabShape, rank: number, result: Float32Array): number {
  const { op, worldSize, length, root } = shape;
  const part = length / worldSize;
  const inputs = Array.from({ length: worldSize }, (_, r) => patternOf((i) => valueAt(shape, r, i)));
  const reduced = patternOf((i) => reduce(shape.reduceOp, inputs, i));
  const from = (source: number, i: number): number => inputs[source]?.[i % PERIOD] as number;
  const wanted = (): ((i: number) => number) | undefined => {
    switch (op) {
      case 'allReduce':
        return (i) => reduced[i % PERIOD] as number;
      case 'reduce':
        return rank === root ? (i) => reduced[i % PERIOD] as number : undefined;
      case 'reduceScatter':
        return (i) => reduced[(rank * part + i) % PERIOD] as number;
      case 'broadcast':
        return (i) => from(root, i);
      case 'scatter':
        return (i) => from(root, rank * part + i);
      case 'gather':
        return rank === root ? (i) => from(Math.floor(i / length), i % length) : undefined;
      case 'allGather':
        return (i) => from(Math.floor(i / length), i % length);
      case 'allToAll':
        return (i) => from(Math.floor(i / part), rank * part + (i % part));
      case 'barrier':
      case 'sendRecv':
        return undefined;
    }
  };
  const value = wanted();
  if (!value) return 0;
  // An average is rounded once per addition.
  const slack = shape.reduceOp === 'avg' ? 1e-5 : 0;
  let wrong = 0;
  for (let i = 0; i < result.length; i++) if (!(Math.abs((result[i] as number) - value(i)) <= slack)) wrong++;
  return wrong;
}

function reduce(reduceOp: ReduceOp, inputs: readonly Float64Array[], i: number): number {
  const all = inputs.map((input) => input[i] as number);
  switch (reduceOp) {
    case 'sum':
      return all.reduce((a, b) => a + b);
    case 'avg':
      return all.reduce((a, b) => a + b) / all.length;
    case 'product':
      return all.reduce((a, b) => a * b);
    case 'min':
      return Math.min(...all);
    case 'max':
      return Math.max(...all);
    case 'band':
      return all.reduce((a, b) => a & b);
    case 'bor':
      return all.reduce((a, b) => a | b);
    case 'bxor':
      return all.reduce((a, b) => a ^ b);
  }
}

const patternOf = (value: (i: number) => number): Float64Array =>
  Float64Array.from({ length: PERIOD }, (_, i) => value(i));
