/**
 * What a pipeline needs from the data axes, whose ranks train the same stages on different rows: DDP around each stage
 * (ddp-around-stages.ts) or fully_shard around each stage (shards-around-stages.ts). axes/stages chooses one of the
 * two for a run and passes it on; no other file of a pipeline's engine asks which one it is.
 */
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ClosedForm } from '../../protocol/closed-form';
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import type { PipelineAction } from '../../protocol/pipeline';
import type { ShardingInfo } from '../../protocol/session-info';
import type { Schedule } from '../../schedules/schedule';
import type { FormPass, RunSizes } from '../closed-form';
import type { DdpOfParts } from '../ddp/around-parts';
import type { ModeSteps } from '../facets/mode-steps';
import type { ModeInput } from '../mode-input';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';

export interface AroundStages {
  /** Which of DDP's settings apply. */
  readonly ddpSettings: DdpOfParts;
  /** Refuses settings, for a configuration whose split is settled; absent: refuses none. */
  check?(config: Config): void;
  notices(config: Config): readonly Notice[];
  wrap(step: PlainStages): WrappedStages;
  /** The bytes that the data axes send; not called if every rank along them is the only one. */
  closedForm(run: RunSizes, pass: FormPass, schedule: Schedule): ClosedForm;
  readonly noise?: ModeSteps['noise'];
  /** The shards that the first rank keeps of its stages; absent: ranks keep no shards. */
  sharding?(input: ModeInput, mesh: DeviceMesh): ShardingInfo;
}

/** The stages of a step before anything is around them. */
export interface PlainStages extends Pick<Step, 'builder' | 'input' | 'kind' | 'stages' | 'graphOf'> {
  readonly schedule: Schedule;
  /** Whether the action is the last one that makes gradients of its stage in this step. */
  isLast(action: PipelineAction): boolean;
}

export interface WrappedStages extends Pick<Step, 'graphOf' | 'optimized' | 'piecesAlong'> {
  /** They act before the pipeline's own syncs. */
  readonly syncs: readonly Sync[];
  /** Whether `syncs` also sum gradients that are addends along tp. */
  readonly sumsPartials: boolean;
}
