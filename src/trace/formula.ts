/**
 * The closed form of a traced step, made by the mode (SessionInfo.closedForms), and the transfers that it covers. Pure;
 * called by metrics.ts, the result panel and the report.
 */
import type { ClosedForm, KindForm } from '../protocol/closed-form';
import { programKey, type StepKind } from '../protocol/step-kind';
import type { TraceEvent } from '../protocol/trace';

/** undefined: the mode has none for Programs outside steps. */
export const closedFormOf = (forms: readonly KindForm[], kind: StepKind): ClosedForm | undefined =>
  forms.find((one) => programKey(one.kind) === programKey(kind))?.form;

/**
 * Whether the closed form covers the transfer. Others are counted separately: buffers, SyncBatchNorm's sums, the used
 * map, join's counts, norms for clipping, the GradScaler's found_inf.
 */
export function isSpoken(
  { speaksOf }: Pick<ClosedForm, 'speaksOf'>,
  { anchor, bucket, collective, payload }: Pick<TraceEvent, 'anchor' | 'bucket' | 'collective' | 'payload'>,
): boolean {
  if (speaksOf === 'everything') return anchor !== 'clip' && anchor !== 'unscale';
  return bucket !== undefined || (collective?.op === 'allReduce' && payload === 'parameter' && anchor === 'average');
}
