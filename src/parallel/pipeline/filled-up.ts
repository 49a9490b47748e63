/**
 * Whether a run has micro-batches of different sizes: a batch that their number does not divide, or a short one at the
 * end of an epoch. torch's stages take one size only, so the script fills shorter ones up. Called by listing.ts.
 */
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import { leastRows } from './face-size';
import { microBatchesFor, mostMicroBatches } from './short-batch';

/** Rows that every micro-batch is filled up to; undefined: all have as many. */
export function filledUpTo(config: Config): number | undefined {
  const { batchSize, pipeline } = config;
  const rows = Math.floor(batchSize / replicasOf(config));
  const isEven = rows % pipeline.microBatches === 0 && !reachesShortBatch(config, rows);
  if (isEven) return undefined;
  // A batch in fewer micro-batches may have longer ones than a full batch: batch norm needs two rows in each.
  const sizes = (microBatchesByRows(config) ?? []).map((count, own) => Math.ceil(own / count));
  return Math.max(Math.ceil(rows / pipeline.microBatches), ...sizes);
}

/**
 * Where only the script finds out how many rows the last batch has: the number of micro-batches with rows, for a batch
 * of 0, 1, 2, … rows. A batch of more rows has as many as the settings say.
 */
export function microBatchesByRows(config: Config): readonly number[] | undefined {
  const { batchSize, pipeline } = config;
  const rows = Math.floor(batchSize / replicasOf(config));
  if (pipeline.microBatches === 1 || rowsOfLast(config, rows) !== undefined) return undefined;
  const enough = pipeline.microBatches * leastRows(config);
  // The run refuses a last batch that its schedule has no order for; the script gives every row a micro-batch.
  return Array.from({ length: enough + 1 }, (_, own) =>
    Math.max(1, mostMicroBatches(config, own) ?? Math.min(own, pipeline.microBatches)),
  );
}

/** How many rows a file or a text has, only the script finds out. */
function reachesShortBatch(config: Config, batch: number): boolean {
  const last = rowsOfLast(config, batch);
  return last === undefined || last > 0;
}

/**
 * Rows of the short last batch of an epoch; 0: the run reaches no such batch. Undefined: only the script finds out how
 * many rows a file or a text has.
 */
function rowsOfLast(config: Config, batch: number): number | undefined {
  const { data, dropLast, steps, epochs } = config;
  if (dropLast) return 0;
  if (!('samples' in data) || data.type === 'sequence') return undefined;
  const training = data.samples - Math.floor(data.samples * data.testFraction);
  const own = Math.ceil(training / replicasOf(config));
  const full = Math.floor(own / batch);
  return epochs !== undefined || steps > full ? own % batch : 0;
}

/** The short last batch where it has fewer micro-batches than the others: torch needs a schedule of its own for it. */
export function shortBatch(config: Config): ShortBatch | undefined {
  const rows = rowsOfLast(config, Math.floor(config.batchSize / replicasOf(config)));
  if (rows === undefined || rows === 0) return undefined;
  const microBatches = microBatchesFor(config, [rows]);
  return microBatches < config.pipeline.microBatches ? { rows, microBatches } : undefined;
}

export interface ShortBatch {
  readonly rows: number;
  readonly microBatches: number;
}
