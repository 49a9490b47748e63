/**
 * The operators of a cross-entropy over classes that are cut (loss_parallel): cases and formulas. Gradients of the
 * whole chain are held by partition/partition.property.test.ts.
 */
import { elements, type Shape } from '../../../tensor/shape';
import { PARALLEL_LOSS, PARALLEL_MAX, PARALLEL_SUMS } from '../../ops/loss/parallel-cross-entropy';
import { type CaseInput, type Maker, reals } from '../case-tools';
import { arg, type Doubles, el, type Formula, range, total } from '../reference-tools';

const labels = (shape: Shape, classes: number, random: () => number): CaseInput => ({
  type: { shape, dtype: 'i32' },
  data: Int32Array.from({ length: elements(shape) }, () => Math.floor(random() * classes)),
  wrt: false,
});

const positive = (shape: Shape, random: () => number): CaseInput => ({
  type: { shape, dtype: 'f32' },
  data: Float32Array.from({ length: elements(shape) }, () => 0.5 + 3 * random()),
  wrt: false,
});

/** x, own labels, labels, max, sums of exponentials, logits. */
const sums = (rows: number, classes: number, random: () => number): readonly CaseInput[] => [
  reals([rows, classes], random, false),
  labels([rows], classes, random),
  labels([rows], classes, random),
  reals([rows], random, false),
  positive([rows], random),
  reals([rows], random, false),
];

export const PARALLEL_LOSS_CASES: Readonly<Record<string, Maker>> = {
  'parallel loss, the largest logit': ([rows, classes], random) => ({
    op: PARALLEL_MAX,
    attrs: {},
    inputs: [reals([rows, classes], random, false)],
  }),
  'parallel loss, sums over own classes': ([rows, classes], random) => ({
    op: PARALLEL_SUMS,
    attrs: { first: 2, ignoreIndex: 1 },
    inputs: [reals([rows, classes], random, false), labels([rows], classes + 4, random), reals([rows], random, false)],
  }),
  'parallel loss, mean': ([rows, classes], random) => ({
    op: PARALLEL_LOSS,
    attrs: { classes: classes + 4, reduction: 'mean' },
    inputs: sums(rows, classes, random),
  }),
  'parallel loss, sum without a class': ([rows, classes], random) => ({
    op: PARALLEL_LOSS,
    attrs: { classes: classes + 4, ignoreIndex: 1, reduction: 'sum' },
    inputs: sums(rows, classes, random),
  }),
};

const linesOf = ({ shape, data }: Doubles): readonly (readonly number[])[] => {
  const [rows = 0, width = 0] = shape;
  return range(rows).map((r) => data.slice(r * width, (r + 1) * width));
};

/** Of the first output. */
export const PARALLEL_LOSS_REFERENCE: Readonly<Record<string, Formula>> = {
  [PARALLEL_MAX]: (inputs) => linesOf(arg(inputs, 0)).map((line) => Math.max(...line)),
  [PARALLEL_SUMS](inputs) {
    const [x, max] = [arg(inputs, 0), arg(inputs, 2)];
    return linesOf(x).map((line, r) => total(line.map((v) => Math.exp(v - el(max.data, r)))));
  },
  [PARALLEL_LOSS](inputs, attrs) {
    const [targets, exps, logits] = [arg(inputs, 2), arg(inputs, 4), arg(inputs, 5)];
    const counted = range(targets.data.length).filter((r) => el(targets.data, r) !== attrs.ignoreIndex);
    const sum = total(counted.map((r) => Math.log(el(exps.data, r)) - el(logits.data, r)));
    return [attrs.reduction === 'mean' ? sum / counted.length : sum];
  },
};
