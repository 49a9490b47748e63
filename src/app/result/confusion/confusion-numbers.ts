/**
 * Numbers of a confusion matrix [classes, classes], row = target, column = prediction. Pure; the view and its table
 * read them.
 */
import type { Confusion } from '../../../protocol/snapshot';

export interface ConfusionNumbers {
  readonly classes: number;
  count(target: number, predicted: number): number;
  /** The number of rows with this target. */
  total(target: number): number;
  /** The share of the rows with this target that have this prediction; 0 without rows. */
  share(target: number, predicted: number): number;
  readonly right: number;
  readonly rows: number;
  /** The cells off the diagonal, most frequent first. */
  readonly mistakes: readonly { readonly target: number; readonly predicted: number; readonly count: number }[];
}

export function confusionNumbers({ counts }: Pick<Confusion, 'counts'>): ConfusionNumbers {
  const classes = Math.round(Math.sqrt(counts.length));
  const count = (target: number, predicted: number) => counts[target * classes + predicted] ?? 0;
  const totals = Array.from({ length: classes }, (_, target) =>
    counts.subarray(target * classes, (target + 1) * classes).reduce((sum, n) => sum + n, 0),
  );
  const total = (target: number) => totals[target] ?? 0;
  const mistakes: { target: number; predicted: number; count: number }[] = [];
  counts.forEach((n, i) => {
    const [target, predicted] = [Math.floor(i / classes), i % classes];
    if (n > 0 && target !== predicted) mistakes.push({ target, predicted, count: n });
  });
  mistakes.sort((a, b) => b.count - a.count);
  return {
    classes,
    count,
    total,
    share: (target, predicted) => count(target, predicted) / Math.max(1, total(target)),
    right: totals.reduce((sum, _, c) => sum + count(c, c), 0),
    rows: totals.reduce((sum, n) => sum + n, 0),
    mistakes,
  };
}
