/**
 * Cross-entropy over classes that are cut among ranks: torch.distributed.tensor.parallel.loss_parallel. Three operators
 * with an all-reduce of a number per row after each of their results: the largest logit; the sum of the exponentials
 * and the label's logit; the loss. The gradient of the third is the gradient of 'loss/cross-entropy' for the rank's
 * classes, so backward sends nothing. Formulas: shaders/loss/parallel-*.wgsl. For the order of operands see `infer`.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { dense, grid, lastOf, rowsOf } from '../../launch';
import type { Attrs, OpDef, TensorType } from '../../op';
import { ignoreIndexOf } from './cross-entropy';
import { reductionOf } from './reduction';

/** Input x [..., own classes]; output the largest of each row. */
export const PARALLEL_MAX = 'loss/parallel-max';
/**
 * Inputs x, labels, max; outputs the addends of two sums, and the labels counted from attr `first`, except labels equal
 * to attr `ignoreIndex`.
 */
export const PARALLEL_SUMS = 'loss/parallel-sums';
/**
 * Inputs x, own labels, labels, max, sum of exponentials, label's logit less max; outputs loss [1] and what the
 * gradient needs. Attrs `classes` (of all ranks), `reduction` mean or sum, `ignoreIndex`.
 */
export const PARALLEL_LOSS = 'loss/parallel-loss';

const f = Math.fround;

const vector = (length: number, dtype: TensorType['dtype'] = 'f32'): TensorType => ({ shape: [length], dtype });

const sizesOf = ({ inputs }: { readonly inputs: readonly TensorType[] }) => {
  const { shape } = at(inputs, 0);
  return { rows: rowsOf(shape), classes: lastOf(shape) };
};

const parallelMax: OpDef = {
  name: PARALLEL_MAX,
  infer: (inputs) => [vector(sizesOf({ inputs }).rows)],
  cpu({ inputs, outputs, inputTypes }) {
    const { rows, classes } = sizesOf({ inputs: inputTypes });
    const [x, y] = [at(inputs, 0), at(outputs, 0)];
    for (let r = 0; r < rows; r++) y[r] = largestOf(x, r * classes, classes);
  },
  lower(types) {
    const { rows, classes } = sizesOf(types);
    return [dense(PARALLEL_MAX, types, [rows, classes], grid(rows))];
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};

/** NaN is larger than everything. */
function largestOf(x: HostArray, start: number, length: number): number {
  let largest = x[start] as number;
  for (let i = start + 1; i < start + length; i++) {
    const v = x[i] as number;
    if (Number.isNaN(v) || v > largest) largest = v;
    if (Number.isNaN(largest)) return largest;
  }
  return largest;
}

const parallelSums: OpDef = {
  name: PARALLEL_SUMS,
  infer(inputs) {
    const { rows } = sizesOf({ inputs });
    return [vector(rows), vector(rows), vector(rows, 'i32')];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { rows, classes } = sizesOf({ inputs: inputTypes });
    const [x, labels, max] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
    const [exps, logits, local] = [at(outputs, 0), at(outputs, 1), at(outputs, 2)];
    const [first, ignored] = [Number(attrs.first), ignoreIndexOf(attrs)];
    for (let r = 0; r < rows; r++) {
      const start = r * classes;
      const top = max[r] as number;
      let sum = 0;
      for (let i = start; i < start + classes; i++) sum = f(sum + f(Math.exp(f((x[i] as number) - top))));
      exps[r] = sum;
      const given = labels[r] as number;
      const label = given === ignored ? IGNORED : given - first;
      logits[r] = label >= 0 && label < classes ? (x[start + label] as number) - top : 0;
      local[r] = label;
    }
  },
  lower(types) {
    const { rows, classes } = sizesOf(types);
    const { first } = types.attrs;
    return [dense(PARALLEL_SUMS, types, [rows, classes, Number(first), ignoreIndexOf(types.attrs) >>> 0], grid(rows))];
  },
  flops: (types) => 10 * elements(at(types.inputs, 0).shape),
};

/** Marks ignored rows among the rank's own labels. */
const IGNORED = -(2 ** 31);

const gradAttrs = (attrs: Attrs): Attrs => ({ reduction: reductionOf(attrs), ignoreIndex: IGNORED });

const parallelLoss: OpDef = {
  name: PARALLEL_LOSS,
  infer: (inputs, attrs) => {
    if (reductionOf(attrs) === 'none')
      throw new LockstepError('config', 'loss_parallel takes a loss with reduction mean or sum');
    return [vector(1), vector(3 * sizesOf({ inputs }).rows + 1)];
  },
  gradient(c) {
    const upstream = c.outputGrad(0);
    if (upstream === undefined || !c.needsGrad(0)) return [];
    const operands = [c.input(0), c.input(1), upstream, c.output(1)];
    return c.emit('loss/cross-entropy-grad', operands, gradAttrs(c.types.attrs), [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { rows } = sizesOf({ inputs: inputTypes });
    const [labels, max, exps, logits] = [at(inputs, 2), at(inputs, 3), at(inputs, 4), at(inputs, 5)];
    const [loss, stats] = [at(outputs, 0), at(outputs, 1)];
    const [classes, ignored] = [Number(attrs.classes), ignoreIndexOf(attrs)];
    let [total, weight] = [0, 0];
    for (let r = 0; r < rows; r++) {
      const label = labels[r] as number;
      const logSum = f(Math.log(exps[r] as number));
      const counts = label !== ignored;
      if (counts) {
        checkLabel(label, classes);
        total = f(total + f(logSum - (logits[r] as number)));
        weight++;
      }
      stats[r] = max[r] as number;
      stats[rows + r] = logSum;
      stats[2 * rows + r] = counts ? 1 : 0;
    }
    const divisor = reductionOf(attrs) === 'mean' ? weight : 1;
    stats[3 * rows] = divisor;
    loss[0] = total / divisor;
  },
  lower(types) {
    const { attrs } = types;
    const { rows } = sizesOf(types);
    return [
      {
        kind: 'dense',
        kernel: PARALLEL_LOSS,
        constants: { REDUCTION: reductionOf(attrs) === 'mean' ? 0 : 1 },
        bindings: [2, 3, 4, 5, 6, 7],
        params: [rows, Number(attrs.classes), ignoreIndexOf(attrs) >>> 0],
        workgroups: [1, 1],
      },
    ];
  },
  flops: (types) => 5 * sizesOf(types).rows,
};

function checkLabel(label: number, classes: number): void {
  if (label >= 0 && label < classes) return;
  const hint = `The model has ${classes} outputs, so class indices must lie in 0..${classes - 1}.`;
  throw new LockstepError('data', `Target ${label} is out of bounds.`, hint, { target: label, classes });
}

export const PARALLEL_LOSS_OPS: readonly OpDef[] = [parallelMax, parallelSums, parallelLoss];
