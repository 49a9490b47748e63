/** How often a classifier is right: the number behind the accuracy of snapshots and reports. Regression has none. */
import { NO_TARGET } from '../data/family';
import type { LossConfig } from '../protocol/config';
import type { HostArray } from '../tensor/shape';
import { argmax } from './views/argmax';

/** The class whose rows count nowhere: torch's -100 unless the loss says otherwise. */
export const ignoreIndexOf = (loss: LossConfig): number =>
  loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss' ? (loss.ignoreIndex ?? NO_TARGET) : NO_TARGET;

/**
 * Fraction of class indices (CrossEntropyLoss, NLLLoss: one per row, or one a position of a sequence; the largest of
 * the outputs there) or of outputs (BCEWithLogitsLoss: a probability on the target's side of one half; MSELoss and its
 * kin with -1 and 1: the sign) that are right. What the loss ignores does not count; NaN is never right.
 */
export function accuracy(loss: LossConfig, outputs: Float32Array, targets: HostArray): number {
  return loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss'
    ? ofClasses(outputs, targets, ignoreIndexOf(loss))
    : ofOutputs(loss.type, outputs, targets);
}

function ofClasses(outputs: Float32Array, targets: HostArray, ignoreIndex: number): number {
  const width = outputs.length / targets.length;
  let right = 0;
  let counted = 0;
  targets.forEach((target, place) => {
    if (target === ignoreIndex) return;
    counted++;
    if (argmax(outputs, place * width, width) === target) right++;
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
