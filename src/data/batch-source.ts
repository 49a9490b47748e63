/**
 * The rows of each process in each micro-batch, endlessly: it continues over epochs and, under DDP, calls `set_epoch`.
 * One process has a DataLoader with `shuffle`; N processes each have a DistributedSampler, or their own rows, and a
 * DataLoader with floor(batchSize / N) rows per batch.
 */

import { at } from '../base/invariant';
import { refusedSettings } from '../base/refused-settings';
import type { Config } from '../protocol/config';
import { Generator } from '../tensor/generator';
import { type BatchSchedule, batchSchedule } from './batch-schedule';
import type { Dataset } from './dataset';
import { DistributedSampler } from './distributed-sampler';
import { type DrawnMask, drawMasks, type MaskDraw } from './draw-masks';
import { DataLoader, drawBaseSeed } from './loader';
import { RandomSampler, SequentialSampler } from './samplers';

export interface StepBatch {
  /** From 0 through the run. */
  readonly microBatch: number;
  readonly epoch: number;
  /** Dataset row ids, one array per process; empty: it has run out. */
  readonly rows: readonly Int32Array<ArrayBuffer>[];
  /** Dropout masks, drawn after the epoch's own draws. */
  readonly masks: readonly DrawnMask[];
}

/** The position of a source; restoring it replaces drawing everything before. */
export interface BatchState {
  /** The next micro-batch. */
  readonly microBatch: number;
  readonly epoch: number;
  readonly batches: readonly (readonly Int32Array<ArrayBuffer>[])[];
  readonly generators: readonly Generator[];
  /** The generators of ranks that draw their own masks. */
  readonly ofRanks?: readonly Generator[];
}

export interface BatchSource extends Pick<BatchSchedule, 'batchesPerEpoch' | 'sizes'> {
  readonly schedule: BatchSchedule;
  next(): StepBatch;
  /** Leaves out a micro-batch: draws its epoch if the epoch begins with it, and no masks. */
  skip(): void;
  state(): BatchState;
}

export interface BatchSourceOptions {
  readonly config: Pick<Config, 'batchSize' | 'shuffle' | 'dropLast' | 'ddp' | 'epochs'>;
  /**
   * 'distributed': each process has a DistributedSampler or its own rows, even with only one process.
   * 'distributedWhole': the same, and with drop_last its loader also leaves out a short last batch.
   */
  readonly sampler?: 'distributed' | 'distributedWhole' | undefined;
  readonly dataset: Dataset;
  /** The settings from which `batchSize` was computed, for errors. Default: batchSize itself. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** The default generator of each process after data and model were drawn; a single generator is copied for all. */
  readonly generator: Generator | readonly Generator[];
  /** worldSize with distributed samplers, else 1. */
  readonly processes: number;
  /**
   * By rank, the process whose batches it shares, for ranks that draw masks from their own default generators. All
   * these ranks draw the base seed of an epoch. Absent: a process draws its masks itself.
   */
  readonly processOfRank?: readonly number[] | undefined;
  /** Masks to draw for a batch, by its rows per process, in the order of the draws. Default: none. */
  readonly masks?: (rows: readonly number[]) => readonly MaskDraw[];
  /** The position from which to continue. */
  readonly from?: BatchState | undefined;
}

export function makeBatchSource(options: BatchSourceOptions): BatchSource {
  const { dataset, processes, from, masks = () => [] } = options;
  const { config } = options;
  const perProcess =
    options.sampler === undefined
      ? [single(options)]
      : config.ddp.samplesPerRank
        ? ownRows(options, config.ddp.samplesPerRank)
        : distributed(options);
  const start = (rank: number): Generator => {
    const { generator } = options;
    return from ? at(from.generators, rank) : generator instanceof Generator ? generator : at(generator, rank);
  };
  const generators = perProcess.map((_, rank) => start(rank).clone());
  const ofRanks = options.processOfRank?.map((rank, i) => (from?.ofRanks?.[i] ?? start(rank)).clone());
  const loaders = perProcess.map((make, rank) => make(at(generators, rank)));
  const schedule = scheduleOf(options, loaders);
  const { batchesPerEpoch, sizes } = schedule;
  if (batchesPerEpoch === 0) {
    const { dropLast, ddp } = config;
    const own = options.sampler === undefined ? undefined : ddp.samplesPerRank;
    throw refusedSettings({
      code: 'data',
      settings: { ...(own ? { 'ddp.samplesPerRank': own } : {}), ...sizeSettings(options), dropLast },
      why: `no process gets a full batch in an epoch (${dataset.train.length} training rows, ${processes} ${processes === 1 ? 'process' : 'processes'}), and dropLast drops the incomplete last batch`,
      hint: 'Make the batch smaller, or set dropLast to false.',
    });
  }

  let microBatch = from?.microBatch ?? 0;
  let epoch = from?.epoch ?? -1;
  let batches: readonly (readonly Int32Array<ArrayBuffer>[])[] = from?.batches ?? loaders.map(() => []);
  const take = (): Omit<StepBatch, 'masks'> => {
    const places = loaders.map((_, rank) => schedule.placeOf(rank, microBatch));
    epoch = Math.max(...places.map((place) => place?.epoch ?? 0));
    batches = loaders.map(({ loader, offset, setEpoch }, rank) => {
      const place = places[rank];
      if (place?.batch !== 0) return at(batches, rank);
      setEpoch(place.epoch);
      for (const [i, generator] of ofRanks?.entries() ?? [])
        if (options.processOfRank?.[i] === rank) drawBaseSeed(generator);
      return loader.epoch().map((positions) => rowIds(dataset.train, positions, offset));
    });
    const rows = batches.map((own, rank) => {
      const place = places[rank];
      return place ? at(own, place.batch) : new Int32Array();
    });
    return { microBatch: microBatch++, epoch, rows };
  };
  return {
    batchesPerEpoch,
    sizes,
    schedule,
    next(): StepBatch {
      const taken = take();
      const drawn = drawMasks(masks(taken.rows.map((own) => own.length)), ({ device, dataIndex }) =>
        at(ofRanks ?? generators, ofRanks ? device : dataIndex),
      );
      return { ...taken, masks: drawn };
    },
    skip: () => void take(),
    state: () => ({
      microBatch,
      epoch,
      batches,
      generators: generators.map((g) => g.clone()),
      ...(ofRanks ? { ofRanks: ofRanks.map((g) => g.clone()) } : {}),
    }),
  };
}

/**
 * One join() is around all epochs if their number is given, otherwise around each; without join the ranks proceed from
 * epoch to epoch independently.
 */
function scheduleOf(
  { sampler, config: { ddp, epochs } }: BatchSourceOptions,
  loaders: readonly ProcessLoader[],
): BatchSchedule {
  const processes = loaders.map(({ loader: { options, length } }) => ({
    rows: options.sampler.length,
    batchSize: options.batchSize,
    length,
  }));
  const uneven = processes.some(({ length }) => length !== processes[0]?.length);
  const together = sampler !== undefined && (uneven || ddp.join);
  return batchSchedule(processes, { epochs: together ? (epochs ?? 1) : 1, hangs: uneven && !ddp.join });
}

function rowIds(train: Int32Array, positions: Int32Array, offset: number): Int32Array<ArrayBuffer> {
  const ids = new Int32Array(positions.length);
  for (let i = 0; i < ids.length; i++) ids[i] = at(train, offset + at(positions, i));
  return ids;
}

interface ProcessLoader {
  readonly loader: DataLoader;
  /** First of its rows. */
  readonly offset: number;
  setEpoch(epoch: number): void;
}
type MakeLoader = (defaultGenerator: Generator) => ProcessLoader;

function single({ config, dataset }: BatchSourceOptions): MakeLoader {
  const rows = dataset.train.length;
  const sampler = config.shuffle ? new RandomSampler(rows) : new SequentialSampler(rows);
  return (defaultGenerator) => ({
    loader: new DataLoader({ sampler, batchSize: config.batchSize, dropLast: config.dropLast, defaultGenerator }),
    offset: 0,
    setEpoch: () => undefined,
  });
}

/** The settings that an error names. */
const sizeSettings = ({ config, given }: BatchSourceOptions): Readonly<Record<string, unknown>> =>
  given ?? { batchSize: config.batchSize };

function perRank(options: BatchSourceOptions): number {
  const { config, processes } = options;
  const batchSize = Math.floor(config.batchSize / processes);
  if (batchSize > 0) return batchSize;
  throw refusedSettings({
    code: 'placement',
    settings: sizeSettings(options),
    why: `a batch of ${config.batchSize} ${config.batchSize === 1 ? 'row' : 'rows'} is shared by ${processes} processes: batch_size should be a positive integer value, but got batch_size=0`,
    hint: 'Make the batch larger, or use fewer processes.',
  });
}

function distributed(options: BatchSourceOptions): MakeLoader[] {
  const { config, dataset, processes } = options;
  const batchSize = perRank(options);
  const drops = config.dropLast && options.sampler === 'distributedWhole';
  return Array.from({ length: processes }, (_, rank) => (defaultGenerator: Generator) => {
    const sampler = new DistributedSampler({
      rows: dataset.train.length,
      worldSize: processes,
      rank,
      shuffle: config.shuffle,
      seed: config.ddp.samplerSeed,
      // As in the usual training script of DDP, this concerns the sampler; its loader keeps a short last batch.
      dropLast: config.dropLast,
    });
    return {
      loader: new DataLoader({ sampler, batchSize, dropLast: drops, defaultGenerator }),
      offset: 0,
      // Without this call, every epoch has the order of the first.
      setEpoch: (epoch: number) => (config.ddp.setEpoch ? sampler.setEpoch(epoch) : undefined),
    };
  });
}

/** Uneven inputs: each rank has a Subset of consecutive rows and its own DataLoader. */
function ownRows(options: BatchSourceOptions, samples: readonly number[]): MakeLoader[] {
  const { config, dataset, processes } = options;
  const batchSize = perRank(options);
  const total = samples.reduce((a, b) => a + b, 0);
  if (samples.length !== processes || total > dataset.train.length) {
    throw refusedSettings({
      code: 'data',
      settings: { 'ddp.samplesPerRank': samples },
      why: `the list gives ${total} rows to ${samples.length} ranks, but there are ${dataset.train.length} training rows and ${processes} ranks`,
      hint: 'Give one number per rank; their sum must be at most the number of training rows.',
      details: { samples: total, rows: dataset.train.length, worldSize: processes },
    });
  }
  return samples.map((rows, rank) => {
    const offset = samples.slice(0, rank).reduce((a, b) => a + b, 0);
    const sampler = config.shuffle ? new RandomSampler(rows) : new SequentialSampler(rows);
    return (defaultGenerator: Generator) => ({
      loader: new DataLoader({ sampler, batchSize, dropLast: config.dropLast, defaultGenerator }),
      offset,
      setEpoch: () => undefined,
    });
  });
}
