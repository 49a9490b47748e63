/**
 * Cross-entropy with vectors: one label per row, no class weights, no smoothing. If a label is not a class, the plain
 * kernel runs, which names the label in its error.
 */
import { at } from '../../base/invariant';
import type { CpuArgs } from '../op';
import { classLayout } from '../ops/loss/class-layout';
import { CROSS_ENTROPY } from '../ops/loss/class-losses';
import { ignoreIndexOf, isWhole, joinRowLosses, smoothingOf } from '../ops/loss/cross-entropy';
import { reductionOf } from '../ops/loss/reduction';
import type { VectorOp } from './vector-op';
import { addressOf } from './vectors';

/** Fewest logits per thread. */
const OF_A_THREAD = 8192;

/** The layout, if the kernels support it. */
function layoutOf({ inputTypes, attrs }: Pick<CpuArgs, 'inputTypes' | 'attrs'>) {
  const layout = classLayout(inputTypes, attrs);
  return layout.probabilities || layout.inner !== 1 || smoothingOf(attrs) !== 0 ? undefined : layout;
}

const loss: VectorOp = (args, vectors) => {
  const { inputs, outputs, attrs } = args;
  const layout = layoutOf(args);
  if (!layout || inputs.length > 2) return undefined;
  const { rows, classes } = layout;
  const isEach = reductionOf(attrs) === 'none';
  // A small batch does not store the losses of its rows.
  const whole = !isEach && isWhole(layout);
  const terms = whole ? vectors.floats(vectors.scratch, 2 * rows) : at(outputs, isEach ? 0 : 2);
  const addresses = [at(inputs, 0), at(inputs, 1), at(outputs, 1), terms].map(addressOf);
  const counts = terms.length > rows ? addressOf(terms) + 4 * rows : 0;
  const calls = vectors
    .runs(rows, OF_A_THREAD / classes, 1)
    .map(([from, to]) => [...addresses, counts, from, to, rows, classes, ignoreIndexOf(attrs)]);
  const labels = at(inputs, 1);
  const isClass = (label: number) => (label >= 0 && label < classes) || label === ignoreIndexOf(attrs);
  return () => {
    if (!labels.every(isClass)) {
      CROSS_ENTROPY[0].cpu(args);
      return;
    }
    vectors.each('crossEntropy', calls);
    const sums = { loss: 0, weight: 0 };
    if (whole)
      for (let r = 0; r < rows; r++) {
        sums.loss = Math.fround(sums.loss + at(terms, r));
        sums.weight += at(terms, rows + r);
      }
    joinRowLosses({ outputs, attrs }, layout, sums);
  };
};

const gradient: VectorOp = (args, vectors) => {
  const { inputs, outputs, attrs } = args;
  const layout = layoutOf(args);
  if (!layout || inputs.length > 4) return undefined;
  const { rows, classes } = layout;
  const [x, target, upstream, stats] = inputs.slice(0, 4).map(addressOf) as [number, number, number, number];
  const isEach = reductionOf(attrs) === 'none';
  const operands = [x, target, stats, upstream, isEach ? 4 : 0, isEach ? 0 : stats + 12 * rows];
  const dx = addressOf(at(outputs, 0));
  const calls = vectors
    .runs(rows, OF_A_THREAD / classes, 1)
    .map(([from, to]) => [...operands, dx, from, to, rows, classes, ignoreIndexOf(attrs)]);
  return () => vectors.each('crossEntropyGrad', calls);
};

export const LOSS_VECTORS: readonly (readonly [string, VectorOp])[] = [
  ['loss/cross-entropy', loss],
  ['loss/cross-entropy-grad', gradient],
];
