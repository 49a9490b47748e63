/**
 * The stage of a pipeline that an event averages over its replicas: packing a bucket, the rounds of the all-reduce and
 * unpacking. Each stage is wrapped in its own DDP, so its buckets are named `stage2.bucket0`; buckets of plain DDP have
 * no stage and are not meant here. Pure; called by moments/group-events.ts and moments/group-keys.ts.
 */
import type { TraceEvent } from '../../protocol/trace';

const STAGE = /^stage(\d+)\.bucket\d+/;

/** undefined: the event averages nothing, or belongs to no stage. */
export function averagedStage({ collective, bucket, slice, reads, writes }: TraceEvent): number | undefined {
  if (bucket === undefined && collective?.bucket === undefined) return undefined;
  for (const name of [slice?.buffer ?? '', ...reads, ...writes]) {
    const stage = STAGE.exec(name)?.[1];
    if (stage !== undefined) return Number(stage);
  }
  return undefined;
}

/** A moment with a whole all-reduce: packing the bucket and every round. */
export interface StageAverage {
  readonly stage: number;
  readonly rounds: number;
}

/** undefined: some event averages no stage, or all are of one round, which has its own moment. */
export function averageIn(events: readonly TraceEvent[]): StageAverage | undefined {
  const stages = new Set(events.map(averagedStage));
  const [stage] = stages;
  if (stages.size > 1 || stage === undefined) return undefined;
  const rounds = new Set(events.flatMap(({ collective }) => collective?.round ?? []));
  const packs = events.some(({ collective }) => collective === undefined);
  return rounds.size > 0 && (packs || rounds.size > 1) ? { stage, rounds: rounds.size } : undefined;
}
