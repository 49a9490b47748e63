/** How often a classifier is right: the number behind the accuracy of snapshots and reports. Regression has none. */
import { IGNORE_INDEX } from '../graph/ops/loss/cross-entropy';
import type { LossConfig } from '../protocol/config';
import type { HostArray } from '../tensor/shape';

/**
 * Fraction of rows (CrossEntropyLoss: the largest of `width` outputs) or of outputs (BCEWithLogitsLoss: a probability on the target's side of one
 * half; MSELoss with -1 and 1: the sign) that are right. Rows that the loss ignores do not count; NaN is never right.
 */
export function accuracy(loss: LossConfig['type'], outputs: Float32Array, width: number, targets: HostArray): number {
  return loss === 'CrossEntropyLoss' ? ofRows(outputs, width, targets) : ofOutputs(loss, outputs, targets);
}

function ofRows(outputs: Float32Array, width: number, targets: HostArray): number {
  let right = 0;
  let counted = 0;
  targets.forEach((target, row) => {
    if (target === IGNORE_INDEX) return;
    counted++;
    const own = outputs.subarray(row * width, (row + 1) * width);
    const best = own.reduce((most, value, c) => (value > (own[most] ?? 0) ? c : most), 0);
    if (best === target && !Number.isNaN(own[best])) right++;
  });
  return right / Math.max(1, counted);
}

function ofOutputs(loss: LossConfig['type'], outputs: Float32Array, targets: HostArray): number {
  const half = loss === 'BCEWithLogitsLoss' ? 0.5 : 0;
  let right = 0;
  outputs.forEach((output, i) => {
    if (output > 0 === (targets[i] ?? 0) > half && !Number.isNaN(output)) right++;
  });
  return right / Math.max(1, outputs.length);
}
