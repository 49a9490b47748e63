/**
 * A step of DistributedDataParallel over one group of ranks: replicas of the whole model, their micro-batches one after
 * the other. The group may be all ranks or a line of a larger mesh; several groups may be written into one Program,
 * each on its own ranks. Called by mode.ts.
 */

import { at } from '../../base/invariant';
import type { Synced } from '../../nn/layer';
import type { ProgramBuilder } from '../../program/builder';
import type { Config } from '../../protocol/config';
import type { Group } from '../../protocol/mesh';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ModeInput } from '../mode';
import { placeOn, type StagePlace } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import { ddpSync } from './sync';

export interface DdpStep {
  readonly builder: ProgramBuilder;
  /** Ranks that hold replicas and average their gradients, each with one device. */
  readonly group: Group;
  readonly input: ModeInput;
}

export function emitDdpStep({ builder, group, input }: DdpStep, kind: TrainingKind): void {
  const stages = placeOn(builder, group);
  const step = { builder, input, kind, stages };
  const sync = ddpSync({
    ...step,
    reducesIn: ({ kind: each, microBatch }) => each === 'B' && at(kind.microBatches, microBatch).reduces,
  });
  const graphOf = wholeGraphs(input, kind, ({ rows }) => syncedOver(input.config, at(stages, 0), rows));
  emitStep({ ...step, order: oneAfterTheOther(kind), syncs: [sync], graphOf });
}

/** convert_sync_batchnorm; with one rank SyncBatchNorm is plain batch norm. `rows`: by data index. */
export function syncedOver({ ddp }: Config, { lanes }: StagePlace, rows: readonly number[]): Synced | undefined {
  const counts = lanes.map(({ dataIndex }) => at(rows, dataIndex)).filter((count) => count > 0);
  if (!ddp.syncBatchNorm || counts.length < 2) return undefined;
  return { ranks: counts.length, rows: counts.reduce((a, b) => a + b, 0) };
}
