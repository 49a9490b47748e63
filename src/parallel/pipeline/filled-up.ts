/**
 * Whether a run has micro-batches of different sizes: a batch that does not divide into equal micro-batches, or a short
 * batch at the end of an epoch. torch's stages take only one size, so the script pads shorter micro-batches. Called by
 * listing.ts.
 */
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import { leastRows } from './face-size';
import { microBatchesFor, mostMicroBatches } from './short-batch';

/** Rows to which every micro-batch is padded; undefined: all are equal. */
export function filledUpTo(config: Config): number | undefined {
  const { batchSize, pipeline } = config;
  const rows = Math.floor(batchSize / replicasOf(config));
  const isEven = rows % pipeline.microBatches === 0 && !reachesShortBatch(config, rows);
  if (isEven) return undefined;
  // If a batch has fewer micro-batches, they may be longer than in a full batch: batch norm needs two rows in each.
  const sizes = (microBatchesByRows(config) ?? []).map((count, own) => Math.ceil(own / count));
  return Math.max(Math.ceil(rows / pipeline.microBatches), ...sizes);
}

/**
 * For data whose last batch only the script can measure: the number of micro-batches for a batch of 0, 1, 2, … rows. A
 * batch with more rows has the number in the settings.
 */
export function microBatchesByRows(config: Config): readonly number[] | undefined {
  const { batchSize, pipeline } = config;
  const rows = Math.floor(batchSize / replicasOf(config));
  if (pipeline.microBatches === 1 || rowsOfLast(config, rows) !== undefined) return undefined;
  const enough = pipeline.microBatches * leastRows(config);
  // The run refuses a last batch that its schedule cannot order; the script gives every row its own micro-batch.
  return Array.from({ length: enough + 1 }, (_, own) =>
    Math.max(1, mostMicroBatches(config, own) ?? Math.min(own, pipeline.microBatches)),
  );
}

/** Only the script finds out how many rows a file or a text has. */
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

/** The short last batch, if it has fewer micro-batches than the others: torch needs another schedule object for it. */
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
