/**
 * A step of DistributedDataParallel around the whole model as one stage; micro-batches run one after the other. The
 * stage is on all ranks or on one line of a larger mesh; a Program may hold several such steps, on different ranks.
 * Called by axes/replicas and by the steps of other axes.
 */
import { at } from '../../base/invariant';
import type { Synced } from '../../nn/layer';
import type { ProgramBuilder } from '../../program/builder';
import type { Config } from '../../protocol/config';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ModeInput } from '../mode-input';
import type { PartitionOf } from '../partition-pass';
import { perGroup } from '../step/per-group';
import type { StagePlace } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { type DdpSyncOptions, ddpSync } from './ddp-sync';

export interface DdpStep {
  readonly builder: ProgramBuilder;
  /** One stage: the whole model. */
  readonly stages: readonly StagePlace[];
  readonly input: ModeInput;
  /** Absent: no axis cuts tensors. */
  readonly partitionOf?: PartitionOf | undefined;
  /** Syncs of axes other than the replicas'; they act after DDP's. */
  readonly syncsBehind?: readonly Sync[];
  /** The model as the reducer sees it; absent: as it is. */
  readonly seen?: DdpSyncOptions['seen'];
  /** Which parameters a rank steps, if ranks share the optimiser's work; absent: all that it holds. */
  readonly isStepped?: NonNullable<Step['isStepped']>;
}

export function emitDdpStep(
  { builder, stages, input, partitionOf, syncsBehind = [], seen, ...more }: DdpStep,
  kind: TrainingKind,
): void {
  const step = { builder, input, kind };
  const syncs = perGroup(stages, (own) =>
    ddpSync({
      ...step,
      stages: own,
      seen,
      reducesIn: ({ kind: each, microBatch }) => each === 'B' && at(kind.microBatches, microBatch).reduces,
    }),
  );
  const graphOf = wholeGraphs(input, kind, {
    syncedIn: ({ rows }) => syncedOver(input.config, at(stages, 0), rows),
    partitionOf,
  });
  emitStep({ ...step, ...more, stages, order: oneAfterTheOther(kind), syncs: [...syncs, ...syncsBehind], graphOf });
}

/** convert_sync_batchnorm. With one rank SyncBatchNorm is plain batch norm. `rows`: by data index. */
export function syncedOver(
  { ddp }: Config,
  { lanes, replicaGroups }: StagePlace,
  rows: readonly number[],
): Synced | undefined {
  const { ranks } = at(replicaGroups, 0);
  const counts = lanes
    .flatMap(({ rank, dataIndex }) => (ranks.includes(rank) ? [at(rows, dataIndex)] : []))
    .filter((count) => count > 0);
  if (!ddp.syncBatchNorm || counts.length < 2) return undefined;
  return { ranks: counts.length, rows: counts.reduce((a, b) => a + b, 0) };
}
