/** What of the mode is fetched when a run needs it, under one name: see mode.ts, its only caller. */
import { LockstepError } from '../../base/errors';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config } from '../../protocol/config';
import type { ModeInput } from '../mode';
import { settle as settleSplit } from './split';
import { scheduleOf } from './stages';

export { pipelineForm as closedForm } from './closed-form';
export { compile } from './compile';
export { memoryAdvice } from './memory-advice';
export { pipelineNotices as notices } from './notices';
export { borderShapes, layersOfDevice, lossRanks, shards } from './stages';

export const settle = (input: ModeInput): Config => settleSplit(input, scheduleOf(input.config));

/** Every micro-batch needs a row. */
export function checkBatches({ pipeline: { microBatches } }: Config, { sizes }: BatchSchedule): void {
  for (const rows of Object.values(sizes)) {
    const least = Math.min(...(rows ?? [microBatches]));
    if (least >= microBatches) continue;
    const isLast = rows !== sizes.full;
    throw new LockstepError(
      'placement',
      `A batch of ${least} ${least === 1 ? 'row' : 'rows'} cannot be cut into ${microBatches} micro-batches${isLast ? '; it is the last one of an epoch' : ''}.`,
      isLast
        ? `Set dropLast to true, or take at most ${least} micro-batches.`
        : `Set pipeline.microBatches to at most ${least}, or make the batch larger.`,
      { rows: least, microBatches },
    );
  }
}
