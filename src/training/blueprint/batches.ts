/**
 * The order in which a run takes its batches, in micro-batches of one size, each with the dropout masks that its
 * Program draws. Called by blueprint.ts.
 */
import { at } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import { type BatchSource, type BatchState, makeBatchSource } from '../../data/batch-source';
import type { MaskDraw } from '../../data/draw-masks';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import { maskDraws } from '../mask-draws';
import type { RunInput, Start } from './start';

export interface Batches {
  /** The batches in order from step 0, or from the state of another source. */
  batches(from?: BatchState): BatchSource;
  /** Reads from a Program which masks its micro-batches draw. Must be called before the first draw. */
  noteMasks(program: Program): void;
}

export function createBatches(
  { config, facets, mesh }: Omit<RunInput, 'files'>,
  { dataset, generators }: Pick<Start, 'dataset' | 'generators'>,
): Batches {
  const draws = new Map<string, readonly MaskDraw[]>();
  return {
    batches: (from) =>
      makeBatchSource({
        config: { ...config, batchSize: microBatchSize(config) },
        given: sizes(config, mesh.dataIndices),
        sampler: facets.batches.sampler?.(config),
        dataset,
        generator: generators,
        processes: mesh.dataIndices,
        ...(facets.batches.ranksDraw?.(config)
          ? { processOfRank: mesh.world.ranks.map((rank) => mesh.dataIndex(rank)) }
          : {}),
        masks: (rows) => draws.get(rows.join()) ?? [],
        from,
      }),
    noteMasks(program) {
      const { kind } = program;
      if (kind.type !== 'training' || (kind.microBatches.length !== 1 && !kind.ofOneBatch)) return;
      const rows = at(kind.microBatches, 0)
        .rows.map((_, index) => kind.microBatches.reduce((sum, { rows: own }) => sum + at(own, index), 0))
        .join();
      if (!draws.has(rows)) draws.set(rows, maskDraws(program));
    },
  };
}

/** The settings that decide the rows of a micro-batch, if they differ from their defaults. */
const sizes = ({ batchSize, accumulate, worldSize }: Config, processes: number) => ({
  batchSize,
  ...(accumulate > 1 ? { accumulate } : {}),
  ...(processes > 1 ? { worldSize } : {}),
});

function microBatchSize({ batchSize, accumulate }: Config): number {
  const size = Math.floor(batchSize / accumulate);
  if (size > 0) return size;
  throw refusedSettings({
    settings: { batchSize, accumulate },
    why: `a batch of ${batchSize} ${batchSize === 1 ? 'row' : 'rows'} cannot be cut into ${accumulate} micro-batches`,
    hint: `Set accumulate to at most ${batchSize}, or make the batch larger.`,
  });
}
