/**
 * Whether a run has micro-batches of different sizes: a batch that their number does not divide, or a short one at the
 * end of an epoch. torch's stages take one size only, so the script fills shorter ones up. Called by listing.ts.
 */
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';

/** Rows that every micro-batch is filled up to; undefined: all have as many. */
export function filledUpTo(config: Config): number | undefined {
  const { batchSize, pipeline } = config;
  const rows = Math.floor(batchSize / meshSizes(config).dp);
  const isEven = rows % pipeline.microBatches === 0 && !reachesShortBatch(config, rows);
  return isEven ? undefined : Math.ceil(rows / pipeline.microBatches);
}

/** How many rows a file or a text has, only the script finds out. */
function reachesShortBatch({ data, mesh: { dp }, dropLast, steps, epochs }: Config, batch: number): boolean {
  // A DistributedSampler drops rows by itself; the loader behind it keeps its last batch.
  if (dp === 1 && dropLast) return false;
  if (!('samples' in data) || data.type === 'sequence') return true;
  const training = data.samples - Math.floor(data.samples * data.testFraction);
  const own = dropLast ? Math.floor(training / dp) : Math.ceil(training / dp);
  const full = Math.floor(own / batch);
  return own % batch > 0 && (epochs !== undefined || steps > full);
}
