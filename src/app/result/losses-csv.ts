/**
 * The losses as CSV (RFC 4180) for other programs: one row per micro-batch, and one per evaluation over all rows. Steps
 * count from 1, as on the page. Pure.
 */
import { stepOf } from '../../protocol/micro-batches';
import type { LossLine } from '../../protocol/session-info';
import type { LossRecord } from '../../protocol/trace';
import type { EvaluationRecord } from '../state/app-state';

export function lossesCsv(
  losses: readonly LossRecord[],
  evaluations: readonly EvaluationRecord[],
  accumulate: number,
  lines: readonly LossLine[] = [],
): string {
  const head = [
    'step',
    'micro_batch',
    'epoch',
    'loss',
    ...lines.map(({ title }) => `loss_${title.replace(' ', '_')}`),
    'train_loss_all_rows',
    'test_loss_all_rows',
    'train_accuracy',
    'test_accuracy',
  ];
  const trained = losses.map(({ microBatch, epoch, loss, perRank }) => ({
    step: stepOf(microBatch, { accumulate }) + 1,
    cells: [
      (microBatch % accumulate) + 1,
      epoch + 1,
      loss,
      ...lines.map(({ place }) => perRank[place] ?? ''),
      '',
      '',
      '',
      '',
    ],
  }));
  const evaluated = evaluations.map(({ step, trainLoss, testLoss, trainAccuracy, testAccuracy }) => ({
    step,
    cells: ['', '', '', ...lines.map(() => ''), trainLoss, testLoss, trainAccuracy, testAccuracy],
  }));
  // An evaluation after a step comes after its micro-batches; sort() keeps the order of equals.
  const rows = [...trained, ...evaluated].sort((a, b) => a.step - b.step);
  return [head, ...rows.map(({ step, cells }) => [step, ...cells])]
    .map((cells) => cells.map((cell) => cell ?? '').join(','))
    .join('\r\n')
    .concat('\r\n');
}
