/** Column sums with vectors, and the gradients of a linear layer's parameters, which need a column sum. */
import { at } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import type { HostArray } from '../../tensor/shape';
import { linearGradParamsPlan } from '../ops/linear/linear-grad-params';
import { extentsOf } from '../ops/reduce/extent';
import { type SumStep, sumSteps } from '../ops/reduce/sum-steps';
import type { VectorOp } from './vector-op';
import { addressOf, type Vectors } from './vectors';

/** Fewest elements per thread. */
const OF_A_THREAD = 16_384;

/** Like cpuSum without a form; undefined if a step has one column (a chain of additions) or a short last row. */
function columnSums(
  steps: readonly SumStep[],
  x: HostArray,
  outputs: readonly HostArray[],
  vectors: Vectors,
): (() => void) | undefined {
  if (steps.some(({ columns, plane }) => columns === 1 || plane % columns !== 0)) return undefined;
  // Each step needs the sums of the step before.
  const calls = steps.map(({ outer, plane, columns }, k) => {
    const from = addressOf(k === 0 ? x : at(outputs, k));
    const to = addressOf(k === steps.length - 1 ? at(outputs, 0) : at(outputs, k + 1));
    const rows = plane / columns;
    const runs = vectors.runs(columns, Math.max(16, OF_A_THREAD / rows));
    return Array.from({ length: outer }, (_, o) =>
      runs.map(([c, end]) => [from + 4 * (o * plane + c), to + 4 * (o * columns + c), rows, end - c, columns]),
    ).flat();
  });
  return () => {
    for (const step of calls) vectors.each('addColumns', step);
  };
}

const sum: VectorOp = ({ inputs, outputs, inputTypes, attrs }, vectors) => {
  if (lookup(attrs, 'mean') === true) return undefined;
  const steps = sumSteps(extentsOf(at(inputTypes, 0).shape, attrs));
  return columnSums(steps, at(inputs, 0), outputs, vectors);
};

const linearGradParams: VectorOp = (args, vectors) => {
  const { product, sums, biasGradient } = linearGradParamsPlan(args);
  if (biasGradient.length === 0) return undefined;
  const addUp = columnSums(sums, at(args.inputs, 1), biasGradient, vectors);
  if (!addUp) return undefined;
  return () => {
    args.scratch.product(product);
    addUp();
  };
};

export const LINEAR_VECTORS: readonly (readonly [string, VectorOp])[] = [
  ['ops/sum', sum],
  ['ops/linear-grad-params', linearGradParams],
];
