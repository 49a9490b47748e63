/** What a mode says about a run beside its Programs. The page and the report show these facts. */
import type { ClosedForm } from '../../protocol/closed-form';
import type { Config } from '../../protocol/config';
import type { PipelineReport } from '../../protocol/report';
import type { BucketsInfo, PlanInfo, ShardingInfo } from '../../protocol/session-info';
import type { FormPass, RunSizes } from '../closed-form';
import type { ModeInput } from '../mode-input';
import type { StageGraph } from '../stage-graph';

export interface ModeFacts {
  /** The bytes that each device sends in one micro-batch. */
  closedForm(run: RunSizes, pass: FormPass): ClosedForm;
  /** The bytes that `construct` sends; absent: no closed form for them. */
  constructForm?(run: RunSizes): ClosedForm;
  /** The buckets that gradients are reduced in; absent: the mode has none. */
  buckets?(input: ModeInput, stage: StageGraph): BucketsInfo | undefined;
  /** How layers are cut; absent: the mode cuts none. */
  plan?(input: ModeInput): PlanInfo | undefined;
  /** What ranks keep in shards; absent: the mode has no shards. */
  sharding?(input: ModeInput): ShardingInfo | undefined;
  /** Figures of the schedule for the report, if the ranks follow one. */
  schedule?(config: Config): PipelineReport;
}
