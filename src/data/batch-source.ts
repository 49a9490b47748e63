/**
 * Which rows each process trains on in each step, without end: crosses epochs by itself and, under DDP, calls `set_epoch`. One process has a
 * DataLoader with `shuffle`; N processes have a DistributedSampler and a DataLoader of floor(batchSize / N) each.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { Config } from '../protocol/config';
import { dropoutMask } from '../tensor/distributions';
import type { Generator } from '../tensor/generator';
import type { Dataset } from './dataset';
import { DistributedSampler } from './distributed-sampler';
import { DataLoader } from './loader';
import { RandomSampler, SequentialSampler } from './samplers';

export interface StepBatch {
  /** From 0; the optimiser's t is step + 1. */
  readonly step: number;
  readonly epoch: number;
  /** last: the short batch at the end of an epoch. */
  readonly variant: 'full' | 'last';
  /** Dataset row ids, one array a process. */
  readonly rows: readonly Int32Array<ArrayBuffer>[];
  /** Dropout masks of this step, drawn after what the epoch draws. */
  readonly masks: readonly DrawnMask[];
}

/** A mask that a process draws each step: `elements` values, 0 with probability `p`, else 1 / (1 - p). */
export interface MaskDraw {
  readonly process: number;
  readonly device: number;
  readonly buffer: string;
  readonly elements: number;
  readonly p: number;
}

export interface DrawnMask {
  readonly device: number;
  readonly buffer: string;
  readonly data: Float32Array<ArrayBuffer>;
}

/** Where a source stands; as good as having drawn everything before. */
export interface BatchState {
  readonly step: number;
  readonly epoch: number;
  readonly batches: readonly (readonly Int32Array<ArrayBuffer>[])[];
  readonly generators: readonly Generator[];
}

export interface BatchSource {
  readonly stepsPerEpoch: number;
  /** Rows a process gets; `last` where an epoch ends with a short batch. */
  readonly sizes: { readonly full: readonly number[]; readonly last: readonly number[] | undefined };
  next(): StepBatch;
  state(): BatchState;
}

export interface BatchSourceOptions {
  readonly config: Pick<Config, 'batchSize' | 'shuffle' | 'dropLast' | 'mode' | 'ddp'>;
  readonly dataset: Dataset;
  /** The default generator after data and model have been drawn; every process holds one at this place. */
  readonly generator: Generator;
  /** worldSize under DDP, else 1. */
  readonly processes: number;
  /** Masks to draw for a batch of that size, in the order of their draws. Default: none. */
  readonly masks?: (variant: StepBatch['variant']) => readonly MaskDraw[];
  /** Go on from there. */
  readonly from?: BatchState | undefined;
}

export function makeBatchSource(options: BatchSourceOptions): BatchSource {
  const { dataset, processes, from, masks = () => [] } = options;
  const perProcess = options.config.mode === 'ddp' ? distributed(options) : [single(options)];
  // Processes draw alike: each has a copy of the generator.
  const generators = perProcess.map((_, rank) => (from ? at(from.generators, rank) : options.generator).clone());
  const loaders = perProcess.map((make, rank) => make(at(generators, rank)));
  const stepsPerEpoch = at(loaders, 0).loader.length;
  if (stepsPerEpoch === 0) {
    throw new LockstepError(
      'data',
      `No batch in an epoch: ${dataset.train.length} training rows, batch size ${options.config.batchSize}, ${processes} ${processes === 1 ? 'process' : 'processes'}, dropLast.`,
      'Make the batch smaller, or set dropLast to false.',
    );
  }
  const sizeOf = (batch: number): number[] =>
    loaders.map(({ loader: { options: o } }) => Math.min(o.batchSize, o.sampler.length - batch * o.batchSize));
  const full = sizeOf(0);
  const end = sizeOf(stepsPerEpoch - 1);
  const last = end.some((size, rank) => size !== full[rank]) ? end : undefined;

  let step = from?.step ?? 0;
  let epoch = from?.epoch ?? -1;
  let batches: readonly (readonly Int32Array<ArrayBuffer>[])[] = from?.batches ?? [];
  const startEpoch = (): void => {
    epoch += 1;
    batches = loaders.map(({ loader, setEpoch }) => {
      setEpoch(epoch);
      return loader.epoch().map((positions) => rowIds(dataset.train, positions));
    });
  };
  return {
    stepsPerEpoch,
    sizes: { full, last },
    next(): StepBatch {
      const batch = step % stepsPerEpoch;
      if (batch === 0) startEpoch();
      const variant = last !== undefined && batch === stepsPerEpoch - 1 ? 'last' : 'full';
      const rows = batches.map((own) => at(own, batch));
      const drawn = masks(variant).map(({ process, device, buffer, elements, p }) => ({
        device,
        buffer,
        data: dropoutMask(at(generators, process), elements, p),
      }));
      return { step: step++, epoch, variant, rows, masks: drawn };
    },
    state: () => ({ step, epoch, batches, generators: generators.map((g) => g.clone()) }),
  };
}

function rowIds(train: Int32Array, positions: Int32Array): Int32Array<ArrayBuffer> {
  const ids = new Int32Array(positions.length);
  for (let i = 0; i < ids.length; i++) ids[i] = at(train, at(positions, i));
  return ids;
}

interface ProcessLoader {
  readonly loader: DataLoader;
  setEpoch(epoch: number): void;
}
type MakeLoader = (defaultGenerator: Generator) => ProcessLoader;

function single({ config, dataset }: BatchSourceOptions): MakeLoader {
  const rows = dataset.train.length;
  const sampler = config.shuffle ? new RandomSampler(rows) : new SequentialSampler(rows);
  return (defaultGenerator) => ({
    loader: new DataLoader({ sampler, batchSize: config.batchSize, dropLast: config.dropLast, defaultGenerator }),
    setEpoch: () => undefined,
  });
}

function distributed({ config, dataset, processes }: BatchSourceOptions): MakeLoader[] {
  const batchSize = Math.floor(config.batchSize / processes);
  if (batchSize === 0) {
    throw new LockstepError(
      'placement',
      `Batch size ${config.batchSize} is smaller than the world size ${processes}: batch_size should be a positive integer value, but got batch_size=0`,
      `Use a batch of at least ${processes}, or fewer processes.`,
      { batchSize: config.batchSize, worldSize: processes },
    );
  }
  return Array.from({ length: processes }, (_, rank) => (defaultGenerator: Generator) => {
    const sampler = new DistributedSampler({
      rows: dataset.train.length,
      worldSize: processes,
      rank,
      shuffle: config.shuffle,
      seed: config.ddp.samplerSeed,
      // As in the usual training script, this concerns the sampler; the loader keeps its short last batch.
      dropLast: config.dropLast,
    });
    return {
      loader: new DataLoader({ sampler, batchSize, defaultGenerator }),
      setEpoch: (epoch: number) => sampler.setEpoch(epoch),
    };
  });
}
