/**
 * Combines the losses that executors report into the loss of a micro-batch: which ranks count, and with which weights.
 * Called by training-on-worlds.ts for every micro-batch of a run.
 */
import { at } from '../base/invariant';
import type { StepBatch } from '../data/batch-source';
import { stepOf } from '../protocol/micro-batches';
import type { LossRecord } from '../protocol/trace';
import type { Loss } from '../runtime/executor';
import type { StepFeed } from '../runtime/launch/world';
import type { Blueprint } from './blueprint';

export interface LossRecorder {
  /** `losses`: of the Program that ran this batch alone. */
  one(batch: StepBatch, losses: readonly Loss[]): LossRecord;
  /** Batches that ran one after the other in the Programs of `feeds`; `losses`: of each of these. */
  all(
    batches: readonly StepBatch[],
    feeds: readonly StepFeed[],
    losses: readonly (readonly Loss[])[],
  ): readonly LossRecord[];
}

export function lossRecorder({ config, facets, mesh }: Pick<Blueprint, 'config' | 'facets' | 'mesh'>): LossRecorder {
  const isCut = facets.batches.pieces !== undefined;
  const { rankOfDevice } = mesh;
  const lossRanks = facets.steps.lossRanks?.(config) ?? mesh.world.ranks;
  const reports = rankOfDevice.map((rank) => lossRanks.includes(rank));
  /** `all`: losses of the Program that ran the batch as its micro-batch number `own`. */
  const recordOf = ({ microBatch, epoch, rows }: StepBatch, all: readonly Loss[], own = 0): LossRecord => {
    const reported = all.filter((loss) => reports[loss.device]);
    const losses = isCut ? meanOfPieces(reported) : reported.filter((loss) => loss.microBatch === own);
    const step = stepOf(microBatch, config);
    if (rows.some(isEmpty)) {
      // A rank without a batch has no loss; NaN takes its place.
      const perRank = lossRanks.map((rank) => losses.find((l) => rankOfDevice[l.device] === rank)?.value ?? Number.NaN);
      const present = perRank.filter((_, i) => !isEmpty(at(rows, mesh.dataIndex(at(lossRanks, i)))));
      return { step, microBatch, epoch, perRank, loss: sum(present) / present.length };
    }
    const perRank = losses.map((loss) => loss.value);
    const shares = facets.steps.lossShares?.(
      config,
      rows.map((batch) => batch.length),
    );
    const loss = shares
      ? losses.reduce((total, { device, value }) => total + at(shares, device) * value, 0)
      : sum(perRank) / Math.max(1, perRank.length);
    return { step, microBatch, epoch, perRank, loss };
  };
  return {
    one: recordOf,
    all(batches, feeds, losses) {
      const records: LossRecord[] = [];
      feeds.forEach(({ microBatches }, i) => {
        // If a batch is cut, its micro-batches are all of one batch.
        for (let m = 0; m < (isCut ? 1 : microBatches.length); m++)
          records.push(recordOf(at(batches, records.length), losses[i] ?? [], m));
      });
      return records;
    },
  };
}

/** The mean over the pieces of a batch (a pipeline's micro-batches), per device. */
function meanOfPieces(losses: readonly Loss[]): readonly Loss[] {
  const ofDevice = new Map<number, Loss[]>();
  for (const loss of losses) ofDevice.set(loss.device, [...(ofDevice.get(loss.device) ?? []), loss]);
  return [...ofDevice].map(([device, own]) => ({
    device,
    microBatch: 0,
    value: sum(own.map(({ value }) => value)) / own.length,
  }));
}

const isEmpty = (rows: Int32Array): boolean => rows.length === 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
