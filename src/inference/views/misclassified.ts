/**
 * Images that the model classifies wrongly, the most confident mistakes first. Made by snapshots from the outputs
 * behind the confusion matrix.
 */
import { at } from '../../base/invariant';
import type { Misclassified } from '../../protocol/snapshot';
import { argmax, softmax } from './argmax';
import type { Classified } from './confusion';
import type { ImageReader } from './images';

const MOST = 24;

export function misclassified(classified: Classified, image: ImageReader): readonly Misclassified[] {
  const { rows, outputs, width, targets, ignoreIndex } = classified;
  const mistakes: { row: number; label: number; predicted: number; probability: number }[] = [];
  targets.forEach((label, i) => {
    const predicted = argmax(outputs, i * width, width);
    if (label === ignoreIndex || predicted < 0 || predicted === label) return;
    const probability = at(softmax(outputs, i * width, width), predicted);
    mistakes.push({ row: at(rows, i), label, predicted, probability });
  });
  return mistakes
    .sort((a, b) => b.probability - a.probability)
    .slice(0, MOST)
    .map(({ row, label, predicted, probability }) => ({ ...image(row, label), predicted, probability }));
}
