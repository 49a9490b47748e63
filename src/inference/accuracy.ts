/** How often a classifier is right: the number behind the accuracy of snapshots and reports. Regression has none. */
import { NO_TARGET } from '../data/family';
import type { LossConfig } from '../protocol/config';
import type { HostArray } from '../tensor/shape';
import { argmax } from './views/argmax';

/** The class whose rows never count: torch's -100 unless the loss has another. */
export const ignoreIndexOf = (loss: LossConfig): number =>
  loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss' ? (loss.ignoreIndex ?? NO_TARGET) : NO_TARGET;

/**
 * The fraction of right answers. For CrossEntropyLoss and NLLLoss, the largest output must be the target's class, once
 * per row or per position of a sequence. For BCEWithLogitsLoss, each probability must be on the target's side of one
 * half; for MSELoss and similar losses with -1 and 1, the sign must be right. Ignored rows do not count; NaN is never
 * right.
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
