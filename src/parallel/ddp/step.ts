/**
 * A step of DistributedDataParallel around the whole model as one stage, the micro-batches one after the other. The
 * stage may be on all ranks or on a line of a larger mesh; several steps may be written into one Program, each on its
 * own ranks. Called by mode.ts.
 */

import { at } from '../../base/invariant';
import type { Synced } from '../../nn/layer';
import type { ProgramBuilder } from '../../program/builder';
import type { Config } from '../../protocol/config';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ModeInput } from '../mode';
import type { PartitionOf } from '../stage-graph';
import { perGroup } from '../step/per-group';
import type { StagePlace } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { ddpSync } from './sync';

export interface DdpStep {
  readonly builder: ProgramBuilder;
  /** One: the whole model. */
  readonly stages: readonly StagePlace[];
  readonly input: ModeInput;
  /** Absent: no axis cuts tensors. */
  readonly partitionOf?: PartitionOf | undefined;
  /** Of other axes than those of the replicas: their turn is after DDP's. */
  readonly syncsBehind?: readonly Sync[];
  /** Where ranks share out the optimiser's work; absent: each steps all that it has. */
  readonly isStepped?: NonNullable<Step['isStepped']>;
}

export function emitDdpStep(
  { builder, stages, input, partitionOf, syncsBehind = [], ...more }: DdpStep,
  kind: TrainingKind,
): void {
  const step = { builder, input, kind };
  const syncs = perGroup(stages, (own) =>
    ddpSync({
      ...step,
      stages: own,
      reducesIn: ({ kind: each, microBatch }) => each === 'B' && at(kind.microBatches, microBatch).reduces,
    }),
  );
  const graphOf = wholeGraphs(input, kind, {
    syncedIn: ({ rows }) => syncedOver(input.config, at(stages, 0), rows),
    partitionOf,
  });
  emitStep({ ...step, ...more, stages, order: oneAfterTheOther(kind), syncs: [...syncs, ...syncsBehind], graphOf });
}

/** convert_sync_batchnorm; with one rank SyncBatchNorm is plain batch norm. `rows`: by data index. */
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
