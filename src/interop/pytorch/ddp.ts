/**
 * The lines for DistributedDataParallel's settings: the wrapper's arguments, seeds, rows of each rank, no_sync and
 * join. Called by script.ts.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from './code-line';
import { flag, keyword } from './python';
import type { Wording } from './wording';

export const wrapperArguments = ({ ddp }: Config, { syncBuffers }: Pick<Wording, 'syncBuffers'>): readonly string[] => [
  ...(ddp.bucketCapMb === undefined ? [] : [`bucket_cap_mb=${ddp.bucketCapMb}`]),
  ...flag('find_unused_parameters', ddp.findUnusedParameters, false),
  ...flag('static_graph', ddp.staticGraph, false),
  ...flag('gradient_as_bucket_view', ddp.gradientAsBucketView, false),
  ...flag(syncBuffers, ddp.broadcastBuffers, true),
  ...flag('init_sync', ddp.initSync, true),
];

/** A bucket below PyTorch's own first one, MiB. */
const FIRST_BUCKET_MB = 1;

/** Comments above the wrapper: what one would usually write, or needs with an older PyTorch. */
export const wrapperNotes = ({ ddp }: Config, { syncBuffers }: Pick<Wording, 'syncBuffers'>): readonly string[] => [
  ...(ddp.bucketCapMb !== undefined && ddp.bucketCapMb < FIRST_BUCKET_MB
    ? ['# bucket_cap_mb: so small for show; leave it out (first bucket 1 MiB, then 25)']
    : []),
  ...(ddp.broadcastBuffers || syncBuffers === 'broadcast_buffers'
    ? []
    : ['# forward_sync_buffers: broadcast_buffers before torch 2.13']),
  ...(ddp.initSync ? [] : ['# init_sync: torch 2.7 and later']),
];

/** torch.manual_seed with a different seed on each rank, before or after the model is built. */
export function seedLines({ ddp, seed }: Config): {
  readonly before: readonly string[];
  readonly after: readonly string[];
} {
  const own = [`torch.manual_seed(${seed} + rank)`];
  return { before: ddp.rankSeeds === 'beforeModel' ? own : [], after: ddp.rankSeeds === 'afterModel' ? own : [] };
}

/** The place of a process among the processes that divide the data, if these are not the whole group. */
export interface DataPlace {
  readonly size: number;
  /** A Python expression. */
  readonly rank: string;
  /** Whether the loader also leaves out a short last batch. */
  readonly dropsLast: boolean;
}

/** A rank's loader, and the names that it takes from torch.utils.data. */
export function loaderLines(
  config: Config,
  batchSize: number,
  dialect: Wording,
  place?: DataPlace,
): { readonly names: readonly string[]; readonly lines: readonly string[] } {
  const { shuffle, dropLast, ddp } = config;
  const { rank, dropsLast } = place ?? { rank: 'rank', dropsLast: false };
  if (ddp.samplesPerRank) {
    return {
      names: ['Subset'],
      lines: [
        `rows = [${ddp.samplesPerRank.join(', ')}]`,
        `start = sum(rows[:${rank}])`,
        `part = Subset(dataset, range(start, start + rows[${rank}]))`,
        ...dialect.loader({ dataset: 'part', batchSize, shuffle, dropLast }, 'gpus'),
      ],
    };
  }
  const sampler = [
    'dataset',
    ...(place ? [`num_replicas=${place.size}`, `rank=${place.rank}`] : []),
    ...flag('shuffle', shuffle, true),
    ...keyword('seed', ddp.samplerSeed, 0),
    ...flag('drop_last', dropLast, false),
  ];
  return {
    names: ['DistributedSampler'],
    lines: [
      `sampler = DistributedSampler(${sampler.join(', ')})`,
      ...dialect.loader(
        { dataset: 'dataset', batchSize, sampler: 'sampler', shuffle: false, dropLast: dropsLast },
        'gpus',
      ),
    ],
  };
}

export const setsEpoch = ({ ddp }: Config): boolean => ddp.setEpoch && ddp.samplesPerRank === undefined;

/** The number of epochs for the steps of a run whose ranks have different numbers of batches. */
export interface EpochCount {
  readonly count: number;
  /** Steps per epoch: the batches of the rank with most; undefined if the run ends in the first epoch. */
  readonly perEpoch: number | undefined;
}

/** Batches per epoch of each rank, if ranks have their own rows. */
const batchesOfRanks = ({ ddp, dropLast }: Pick<Config, 'ddp' | 'dropLast'>, batchSize: number): readonly number[] =>
  ddp.samplesPerRank?.map((rows) => (dropLast ? Math.floor : Math.ceil)(rows / batchSize)) ?? [];

/** The number of batches of the rank with most, if the numbers differ. */
export function mostBatches(config: Config, batchSize: number): number | undefined {
  const batches = batchesOfRanks(config, batchSize);
  return new Set(batches).size < 2 ? undefined : Math.max(...batches);
}

/** Undefined: all ranks have len(loader) batches. Without join, uneven inputs end in the first epoch. */
export function epochCount({ ddp, dropLast, steps }: Config, batchSize: number): EpochCount | undefined {
  const batches = batchesOfRanks({ ddp, dropLast }, batchSize);
  if (new Set(batches).size < 2) return undefined;
  if (!ddp.join) return { count: 1, perEpoch: undefined };
  const perEpoch = Math.max(...batches);
  return { count: Math.ceil(steps / perEpoch), perEpoch };
}

export function joinLine({ ddp }: Config): string | undefined {
  if (!ddp.join) return undefined;
  return `with model.join(${flag('divide_by_initial_world_size', ddp.divideByInitialWorldSize, true).join('')}):`;
}

/** Forward and backward of a micro-batch, under no_sync or not; `due`: whether a step follows. */
export function noSyncLines(
  { ddp }: Config,
  due: string,
  forward: readonly CodeLine[],
  backward: readonly CodeLine[],
): readonly CodeLine[] {
  const within = (body: readonly CodeLine[], anchor: string): readonly CodeLine[] => [
    { text: `with nullcontext() if ${due} else model.no_sync():`, anchor },
    ...body.map(({ text, anchor: own }) => ({ text: `    ${text}`, anchor: own })),
  ];
  switch (ddp.noSync) {
    case 'both':
      return within([...forward, ...backward], 'no_sync');
    case 'forward':
      return [...within(forward, 'no_sync'), ...backward];
    case 'backward':
      return [...forward, ...within(backward, 'no_sync')];
    case 'none':
      return [...forward, ...backward];
  }
}
