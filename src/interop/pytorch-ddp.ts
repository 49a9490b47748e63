/** What DistributedDataParallel's settings make of the listing: the wrapper's arguments, seeds, who gets which rows, no_sync and join. Called by pytorch-code.ts. */
import type { Config } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import { flag, keyword } from './python';

export const wrapperArguments = ({ ddp }: Config): readonly string[] => [
  ...(ddp.bucketCapMb === undefined ? [] : [`bucket_cap_mb=${ddp.bucketCapMb}`]),
  ...flag('find_unused_parameters', ddp.findUnusedParameters, false),
  ...flag('static_graph', ddp.staticGraph, false),
  ...flag('gradient_as_bucket_view', ddp.gradientAsBucketView, false),
  ...flag('broadcast_buffers', ddp.broadcastBuffers, true),
  // PyTorch has it from 2.7 on.
  ...flag('init_sync', ddp.initSync, true),
];

/** torch.manual_seed of each rank by itself, before the model is built or after. */
export function seedLines({ ddp, seed }: Config): {
  readonly before: readonly string[];
  readonly after: readonly string[];
} {
  const own = [`torch.manual_seed(${seed} + rank)`];
  return { before: ddp.rankSeeds === 'beforeModel' ? own : [], after: ddp.rankSeeds === 'afterModel' ? own : [] };
}

/** A rank's loader, and what it imports. */
export function loaderLines(
  config: Config,
  batchSize: number,
): { readonly names: readonly string[]; readonly lines: readonly string[] } {
  const { shuffle, dropLast, ddp } = config;
  if (ddp.samplesPerRank) {
    const args = [
      'part',
      `batch_size=${batchSize}`,
      ...flag('shuffle', shuffle, false),
      ...flag('drop_last', dropLast, false),
    ];
    return {
      names: ['Subset'],
      lines: [
        `rows = [${ddp.samplesPerRank.join(', ')}]`,
        'start = sum(rows[:rank])',
        'part = Subset(dataset, range(start, start + rows[rank]))',
        `loader = DataLoader(${args.join(', ')})`,
      ],
    };
  }
  const sampler = [
    'dataset',
    ...flag('shuffle', shuffle, true),
    ...keyword('seed', ddp.samplerSeed, 0),
    ...flag('drop_last', dropLast, false),
  ];
  return {
    names: [],
    lines: [
      `sampler = DistributedSampler(${sampler.join(', ')})`,
      `loader = DataLoader(dataset, batch_size=${batchSize}, sampler=sampler)`,
    ],
  };
}

export const setsEpoch = ({ ddp }: Config): boolean => ddp.setEpoch && ddp.samplesPerRank === undefined;

/** Epochs that the script trains where no number is given: without join, uneven inputs come to their end in the first. */
export function defaultEpochs({ mode, ddp, dropLast }: Config, batchSize: number): number {
  if (mode !== 'ddp' || ddp.join || !ddp.samplesPerRank) return 10;
  const batches = ddp.samplesPerRank.map((rows) => (dropLast ? Math.floor : Math.ceil)(rows / batchSize));
  return new Set(batches).size > 1 ? 1 : 10;
}

export function joinLine({ ddp }: Config): string | undefined {
  if (!ddp.join) return undefined;
  return `with model.join(${flag('divide_by_initial_world_size', ddp.divideByInitialWorldSize, true).join('')}):`;
}

/** Forward and backward of a micro-batch under no_sync, or outside of it; `due`: the pass that a step follows. */
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
