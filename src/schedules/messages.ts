/** The message with an action's result to the neighbouring stage, from both ends. */
import type { PipelineAction } from '../protocol/pipeline';
import type { LoweredMessage } from './lowered-cell';
import type { Schedule } from './schedule';

export interface ScheduleTransfer {
  readonly send: LoweredMessage;
  readonly receive: LoweredMessage;
  readonly toRank: number;
}

/** Undefined if nothing is sent: at the ends of the pipeline, between stages of one rank, and for W. */
export function transferAfter(
  { stage, kind, microBatch }: PipelineAction,
  { rankOfStage }: Pick<Schedule, 'rankOfStage'>,
): ScheduleTransfer | undefined {
  const [to, letter] = kind === 'F' ? ([stage + 1, 'F'] as const) : ([stage - 1, 'B'] as const);
  const toRank = rankOfStage[to];
  if (kind === 'W' || toRank === undefined || toRank === rankOfStage[stage]) return undefined;
  return {
    send: { stage, message: `SEND_${letter}`, microBatch },
    receive: { stage: to, message: `RECV_${letter}`, microBatch },
    toRank,
  };
}

/** The message from another rank that an action waits for. */
export function receiveBefore(
  { stage, kind, microBatch }: PipelineAction,
  { rankOfStage }: Pick<Schedule, 'rankOfStage'>,
): LoweredMessage | undefined {
  const [from, letter] = kind === 'F' ? ([stage - 1, 'F'] as const) : ([stage + 1, 'B'] as const);
  const fromRank = rankOfStage[from];
  if (kind === 'W' || fromRank === undefined || fromRank === rankOfStage[stage]) return undefined;
  return { stage, message: `RECV_${letter}`, microBatch };
}
