/**
 * Where gradients are divided by the number of ranks: DDP divides them as it copies them into the bucket, or leaves
 * that to the communication hook, if any. Pure; called by the sentences.
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

/** ' by 4'; '' under join(), where the divisor may be the number of all ranks or of ranks with a batch. */
export const divisorWords = (trace: StepTrace, pack: TraceEvent): string =>
  hasMicroBatch(trace.kind, ({ rows }) => rows.includes(0)) ? '' : ` by ${groupSize(trace, pack)}`;
