/** What of the mode is fetched when a run needs it, under one name: see mode.ts, its only caller. */
import { LockstepError } from '../../base/errors';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config } from '../../protocol/config';
import type { PipelineReport } from '../../protocol/report';
import { figuresOf } from '../../schedules/figures';
import type { ModeInput } from '../mode';
import { mostMicroBatches } from './short-batch';
import { settle as settleSplit } from './split';
import { scheduleOf } from './stages';

export { pipelineForm as closedForm } from './closed-form';
export { compile } from './compile';
export { memoryAdvice } from './memory-advice';
export { pipelineNotices as notices } from './notices';
export { borderShapes, layersOfDevice, lossRanks, shards } from './stages';

/** For the report. */
export const scheduleFigures = (config: Config): PipelineReport => figuresOf(scheduleOf(config));

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

/** Every micro-batch needs a row; a short last batch may have fewer of them, where the schedule can order those. */
export function checkBatches(config: Config, { sizes }: BatchSchedule): void {
  const { microBatches } = config.pipeline;
  for (const rows of Object.values(sizes)) {
    const least = Math.min(...(rows ?? [microBatches]));
    if (least >= microBatches) continue;
    const isLast = rows !== sizes.full;
    if (isLast && mostMicroBatches(config, least) !== undefined) continue;
    const batch = `A batch of ${least} ${least === 1 ? 'row' : 'rows'}`;
    throw new LockstepError(
      'placement',
      isLast
        ? `The last batch of an epoch has ${least} ${least === 1 ? 'row' : 'rows'}, fewer than pipeline.microBatches (${microBatches}), and ${scheduleName(config)} has no order for so few micro-batches.`
        : `${batch} cannot be cut into ${microBatches} micro-batches (pipeline.microBatches).`,
      isLast
        ? 'Set dropLast to true, or choose GPipe, which orders any number of micro-batches.'
        : `Set pipeline.microBatches to at most ${least}, or make the batch larger.`,
      { rows: least, microBatches },
    );
  }
}

const scheduleName = ({ pipeline: { schedule } }: Config): string =>
  schedule === 'own' ? 'your own schedule' : schedule;
