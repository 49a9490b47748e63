/**
 * The number of micro-batches of a batch: the number in the settings, or, for the short last batch of an epoch, the
 * most that it has rows for and the schedule can order. torch refuses a short batch ("Expecting 4 arg_mbs but got 2"),
 * so the script makes a second schedule for it. Called by axes/stages, the checks and the listing.
 */
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import { canOrder } from './face-fit';
import { leastRows } from './face-size';

/** `rows`: of each replica. If no number works, this is the number in the settings, and the batch is refused later. */
export function microBatchesFor(config: Config, rows: readonly number[]): number {
  return mostMicroBatches(config, Math.min(...rows)) ?? config.pipeline.microBatches;
}

/** Undefined: the schedule cannot order so few rows. */
export function mostMicroBatches(config: Config, rows: number): number | undefined {
  const { microBatches, schedule } = config.pipeline;
  // A full batch has the number in the settings; batch norm refuses a micro-batch with one value per channel itself.
  if (rows >= Math.floor(config.batchSize / replicasOf(config)) && rows >= microBatches) return microBatches;
  const most = Math.min(microBatches, Math.floor(rows / leastRows(config)));
  if (most === microBatches) return microBatches;
  // The cells of the user's own schedule name fixed micro-batches.
  if (schedule === 'own') return undefined;
  for (let count = most; count >= 1; count--) if (canOrder(config, count)) return count;
  return undefined;
}
