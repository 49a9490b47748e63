/**
 * loss = mean or sum over rows of -log softmax(x)[target], as torch.nn.CrossEntropyLoss with class indices: x [B, C] float32, target [B] int32.
 * A row with target -100 (PyTorch's ignore_index) counts nowhere; any other target outside 0..C-1 is an error on the CPU and NaN on the GPU.
 * Gradient: (softmax(x) - onehot) upstream, divided by the counted rows for the mean.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import type { HostArray } from '../../../tensor/shape';
import { rowsOf } from '../../launch';
import { isMean, lossOp } from '../../loss-op';

const f = Math.fround;
export const IGNORE_INDEX = -100;

function rowMax(x: HostArray, start: number, end: number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = start; i < end; i++) if ((x[i] as number) > max) max = x[i] as number;
  return max;
}

function rowSum(x: HostArray, start: number, end: number, max: number): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum = f(sum + f(Math.exp(f((x[i] as number) - max))));
  return sum;
}

function countedRows(target: HostArray, classes: number): number {
  let counted = 0;
  for (const t of target) {
    if (t === IGNORE_INDEX) continue;
    if (t < 0 || t >= classes) {
      const hint = `The model has ${classes} outputs, so class indices must lie in 0..${classes - 1}.`;
      throw new LockstepError('data', `Target ${t} is out of bounds.`, hint, { target: t, classes });
    }
    counted++;
  }
  return counted;
}

export const [crossEntropy, crossEntropyGrad] = lossOp({
  name: 'loss/cross-entropy',
  gradName: 'loss/cross-entropy-grad',
  flopsPerElement: 20,
  check(output, target) {
    const rows = rowsOf(output.shape);
    const targetRows = target.shape[0] ?? 0;
    if (output.shape.length === 2 && target.shape.length === 1 && rows === targetRows && target.dtype === 'i32') return;
    if (target.dtype !== 'i32') {
      throw new LockstepError(
        'data',
        'expected scalar type Long but found Float',
        'CrossEntropyLoss takes class indices: whole numbers from 0.',
      );
    }
    throw new LockstepError('shape', `Expected input batch_size (${rows}) to match target batch_size (${targetRows}).`);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const x = at(inputs, 0);
    const target = at(inputs, 1);
    const classes = at(at(inputTypes, 0).shape, 1);
    const counted = countedRows(target, classes);
    let total = 0;
    for (let r = 0; r < target.length; r++) {
      const t = target[r] as number;
      if (t === IGNORE_INDEX) continue;
      const start = r * classes;
      const max = rowMax(x, start, start + classes);
      const sum = rowSum(x, start, start + classes, max);
      total = f(total - f(f((x[start + t] as number) - max) - f(Math.log(sum))));
    }
    at(outputs, 0)[0] = isMean(attrs) ? total / counted : total;
  },
  gradCpu({ inputs, outputs, inputTypes, attrs }) {
    const x = at(inputs, 0);
    const target = at(inputs, 1);
    const dx = at(outputs, 0);
    const classes = at(at(inputTypes, 0).shape, 1);
    const scale = f(at(at(inputs, 2), 0) / (isMean(attrs) ? countedRows(target, classes) : 1));
    for (let r = 0; r < target.length; r++) {
      const t = target[r] as number;
      const start = r * classes;
      const end = start + classes;
      if (t === IGNORE_INDEX) {
        dx.fill(0, start, end);
        continue;
      }
      const max = rowMax(x, start, end);
      const logSum = f(Math.log(rowSum(x, start, end, max)));
      for (let i = start; i < end; i++) {
        const p = f(f(Math.exp(f(f((x[i] as number) - max) - logSum))) * scale);
        dx[i] = i - start === t ? p - scale : p;
      }
    }
  },
  params(types) {
    const [rows = 0, classes = 0] = at(types.inputs, 0).shape;
    return [rows, classes, isMean(types.attrs) ? 1 : 0];
  },
  gradInvocations: (output) => rowsOf(output.shape),
});
