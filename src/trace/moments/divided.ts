/**
 * Where the division by the number of ranks takes place: DDP divides gradients as it copies them into their bucket, and
 * leaves that to a communication hook where there is one. Pure; called by the sentences.
 */
import { hasMicroBatch } from '../../protocol/step-kind';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { groupSize } from '../group-size';

/** `pack`: the event that copies gradients into a bucket. */
export const dividesAtFirst = (trace: StepTrace, pack: TraceEvent): boolean =>
  groupSize(trace, pack) > 1 &&
  !trace.events.some(
    ({ name, bucket, device }) =>
      (name === 'halves/encode' || name === 'comm/scale') && bucket === pack.bucket && device === pack.device,
  );

/** ' by 4'. Under join() it may be the number of all ranks, or of those with a batch: then it is not said. */
export const divisorWords = (trace: StepTrace, pack: TraceEvent): string =>
  hasMicroBatch(trace.kind, ({ rows }) => rows.includes(0)) ? '' : ` by ${groupSize(trace, pack)}`;
