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

export function settle(input: ModeInput): Config {
  checkSettings(input.config);
  return settleSplit(input, scheduleOf(input.config));
}

/** What can be said of the settings alone. */
function checkSettings({ accumulate, mesh, worldSize, pipeline: settings }: Config): void {
  const { microBatches, schedule, actions } = settings;
  if (accumulate > 1)
    throw new LockstepError(
      'config',
      `accumulate is ${accumulate}, but in mode pipeline the batch is cut by pipeline.microBatches (${microBatches}).`,
      'Leave accumulate at 1, and set pipeline.microBatches.',
      { accumulate, microBatches },
    );
  if (mesh.pp === undefined && worldSize % mesh.dp > 0)
    throw new LockstepError(
      'placement',
      `${worldSize} ${worldSize === 1 ? 'device' : 'devices'} cannot be shared out to ${mesh.dp} replicas of a pipeline evenly.`,
      'Set mesh.dp to a divisor of worldSize, or mesh.pp to the ranks that a pipeline has.',
      { worldSize, dp: mesh.dp },
    );
  if (schedule === 'own' && actions === undefined)
    throw new LockstepError(
      'config',
      'pipeline.schedule is own, but pipeline.actions has no actions.',
      'Write one row per rank into pipeline.actions, as in 0F0,0F1,0B0,0B1, or name one of torch’s schedules.',
      { schedule },
    );
}

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
