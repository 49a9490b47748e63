/** Compares the ranks' results with torch.distributed's definition of the collective, in double precision. Pure. */
import { at } from '../base/invariant';
import type { ReduceOp } from '../protocol/collective';
import type { LabRequest, LabResult } from '../protocol/lab';
import type { HostArray } from '../tensor/shape';

const COMBINE: Readonly<Record<ReduceOp, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  avg: (a, b) => a + b,
  product: (a, b) => a * b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  band: (a, b) => a & b,
  bor: (a, b) => a | b,
  bxor: (a, b) => a ^ b,
};

/** Element i of every rank's input, reduced. */
function reduced(reduceOp: ReduceOp, inputs: readonly HostArray[], i: number): number {
  const all = inputs.map((input) => at(input, i)).reduce(COMBINE[reduceOp]);
  return reduceOp === 'avg' ? all / inputs.length : all;
}

/** Element i of rank r's correct result; undefined if the collective does not define it. */
export function expected(
  { op, reduceOp, root, worldSize }: LabRequest,
  inputs: readonly HostArray[],
  r: number,
  i: number,
): number | undefined {
  const length = at(inputs, 0).length;
  const part = length / worldSize;
  switch (op) {
    case 'allReduce':
      return reduced(reduceOp, inputs, i);
    case 'reduce':
      return r === root ? reduced(reduceOp, inputs, i) : undefined;
    case 'reduceScatter':
      return reduced(reduceOp, inputs, r * part + i);
    case 'broadcast':
      return at(at(inputs, root), i);
    case 'scatter':
      return at(at(inputs, root), r * part + i);
    case 'gather':
      return r === root ? at(at(inputs, Math.floor(i / length)), i % length) : undefined;
    case 'allGather':
      return at(at(inputs, Math.floor(i / length)), i % length);
    case 'allToAll':
      return at(at(inputs, Math.floor(i / part)), r * part + (i % part));
    case 'barrier':
    case 'sendRecv':
      return undefined;
  }
}

/** The collectives after which all ranks hold the same values. */
const ALIKE = new Set<LabRequest['op']>(['allReduce', 'broadcast', 'allGather']);

export function checkResults(
  request: LabRequest,
  inputs: readonly HostArray[],
  results: readonly HostArray[],
): LabResult['check'] {
  let maxError = 0;
  results.forEach((values, r) => {
    for (let i = 0; i < values.length; i++) {
      const wanted = expected(request, inputs, r, i);
      if (wanted === undefined) continue;
      const error = Math.abs(at(values, i) - wanted) / Math.max(1, Math.abs(wanted));
      // Written so that NaN counts as an error.
      if (!(error <= maxError)) maxError = error;
    }
  });
  const bytes = (values: HostArray) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const first = bytes(at(results, 0));
  const sameBytes = !ALIKE.has(request.op) || results.every((values) => bytes(values).every((b, i) => b === first[i]));
  return { maxError, sameBytes };
}
