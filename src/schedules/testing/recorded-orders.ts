/** The orders that torch 2.13 runs (fixtures/), as tests read them. */

import { must } from '../../base/invariant';
import { SCHEDULE_NAMES, type ScheduleName } from '../../protocol/pipeline';
import recorded from '../fixtures/pipeline-orders.json';
import type { ScheduleSize } from '../schedule';

export interface RecordedOrder {
  readonly title: string;
  readonly size: ScheduleSize;
  readonly stageToRank: readonly number[];
  readonly compute: readonly string[];
  readonly lowered: readonly string[] | undefined;
  readonly executedWithComms: readonly string[] | undefined;
  readonly printed: readonly string[] | undefined;
  readonly peakLive: readonly number[];
}

interface Named {
  readonly schedule: string;
  readonly ranks: number;
  readonly stages_per_rank: number;
  readonly microbatches: number;
}

const nameOf = ({ schedule }: Named): ScheduleName =>
  must(
    SCHEDULE_NAMES.find((name) => name === schedule),
    schedule,
  );

const sizeOf = (stored: Named): ScheduleSize => ({
  name: nameOf(stored),
  ranks: stored.ranks,
  stagesPerRank: stored.stages_per_rank,
  microBatches: stored.microbatches,
});

const titleOf = (stored: Named): string =>
  `${stored.schedule}, ${stored.ranks} x ${stored.stages_per_rank} stages, ${stored.microbatches} micro-batches`;

export const RECORDED: readonly RecordedOrder[] = recorded.orders.map((stored) => ({
  title: titleOf(stored),
  size: sizeOf(stored),
  stageToRank: stored.stage_to_rank,
  compute: stored.compute,
  lowered: stored.lowered,
  executedWithComms: stored.executed_with_comms,
  printed: stored.printed_pipeline_order,
  peakLive: stored.peak_live,
}));

export const REFUSED: readonly { readonly title: string; readonly size: ScheduleSize; readonly torch: string }[] =
  recorded.refused.map((stored) => ({ title: titleOf(stored), size: sizeOf(stored), torch: stored.text }));
