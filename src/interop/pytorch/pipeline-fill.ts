/**
 * The lines of a pipeline's PyTorch script that fill up batches: torch takes micro-batches of one size, and the last
 * batch of an epoch may have fewer rows. Called by pipeline.ts and by the pipeline's listing.
 */

import { takesClasses } from '../../data/targets';
import type { Config } from '../../protocol/config';
import { hasDropout } from '../../protocol/config/layer-kinds';
import type { CodeLine } from '../../protocol/trace';
import { codeLine as line } from './code-line';
import { hasBatchNorm } from './model';

export interface FilledBatches {
  /** Rows to which shorter micro-batches are padded; undefined: all are equal. */
  readonly filledUpTo: number | undefined;
  /** The last batch of an epoch, if it has rows for fewer micro-batches. */
  readonly short: { readonly rows: number; readonly microBatches: number } | undefined;
  /**
   * If only the script knows the rows of the last batch: the number of micro-batches with rows, for a batch of 0, 1, 2,
   * … rows. The others are filler, and the loss leaves them out.
   */
  readonly countByRows: readonly number[] | undefined;
}

/** The targets of filler rows in a micro-batch, and the test for other rows. */
const filled = ({ loss }: Config): { readonly target: string; readonly test: string } =>
  takesClasses(loss.type)
    ? { target: '-100', test: '(y.reshape(len(y), -1) != -100).any(1)' }
    : { target: 'torch.nan', test: '~y.reshape(len(y), -1)[:, 0].isnan()' };

/** A Python expression for the rows of a micro-batch that are no filler. */
export const rowsTest = (config: Config): string => filled(config).test;

/**
 * torch averages the losses and gradients of all its micro-batches. `weight` makes that the average over those with
 * rows. Without scale_grads torch adds the gradients up, so the weight is for the printed loss only.
 */
export const weightedLoss = (call: string, scaleGrads: boolean): readonly string[] => [
  '    if len(y) == 0:',
  '        return output.sum()  # filler only: 0, and its gradients are 0; the mean of no rows is NaN',
  ...(scaleGrads
    ? [`    return weight * ${call}`]
    : [`    loss = ${call}`, '    return loss + (weight - 1) * loss.detach()  # gradients are summed, without weight']),
];

/** A Python expression for the number of a batch's micro-batches with rows. */
function countCode(counts: readonly number[], microBatches: number): string {
  const isRows = counts.every((count, rows) => count === Math.max(1, Math.min(rows, microBatches)));
  return isRows ? `min(${microBatches}, len(batch))` : `[${counts.join(', ')}][min(${counts.length - 1}, len(batch))]`;
}

/** A full batch has more rows than a short one, and at least as many as micro-batches. */
const fromRows = ({ pipeline }: Config, short: { readonly rows: number }): number =>
  Math.max(pipeline.microBatches, short.rows + 1);

/** Before the schedule: the function that fills up a batch. */
export const fillingLines = (
  config: Config,
  { filledUpTo = 0, short, countByRows }: FilledBatches,
): readonly string[] => [
  '# torch takes micro-batches of one size: shorter ones are padded with rows that the loss leaves out',
  ...(hasBatchNorm(config.model.layers)
    ? ['# BatchNorm sees the padding, so with such batches the losses differ slightly from those of the run']
    : []),
  ...(hasDropout(config.model.layers)
    ? ['# Dropout draws masks for the padding, too, so from such a batch on the losses differ from those of the run']
    : []),
  ...(countByRows
    ? [
        '# the last batch may have rows for fewer micro-batches: the others are filler, and their loss is 0',
        'def with_rows(batch):',
        `    return ${countCode(countByRows, config.pipeline.microBatches)}`,
      ]
    : []),
  'def filled_up(batch, value):',
  ...(short
    ? [
        `    count, size = (${config.pipeline.microBatches}, ${filledUpTo}) if len(batch) >= ${fromRows(config, short)} else (${short.microBatches}, ${Math.ceil(short.rows / short.microBatches)})`,
        '    parts = batch.tensor_split(count)',
        '    more = (part.new_full((size - len(part), *part.shape[1:]), value) for part in parts)',
      ]
    : [
        ...(countByRows
          ? [
              '    count = with_rows(batch)',
              `    parts = [*batch.tensor_split(count), *[batch[:0]] * (${config.pipeline.microBatches} - count)]`,
            ]
          : [`    parts = batch.tensor_split(${config.pipeline.microBatches})`]),
        `    more = (part.new_full((${filledUpTo} - len(part), *part.shape[1:]), value) for part in parts)`,
      ]),
  '    return torch.cat([torch.cat(pair) for pair in zip(parts, more)])',
];

/** Before schedule.step(). */
export const fillUp = (config: Config, { filledUpTo, short, countByRows }: FilledBatches): readonly CodeLine[] =>
  filledUpTo === undefined
    ? []
    : [
        ...(short ? [line(`own_schedule = schedule if len(x) >= ${fromRows(config, short)} else last_schedule`)] : []),
        ...(countByRows ? [line(`weight = ${config.pipeline.microBatches} / with_rows(x)`)] : []),
        line(`x, y = filled_up(x, 0), filled_up(y, ${filled(config).target})`),
      ];
