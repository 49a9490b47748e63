/**
 * The lines of the listing that resume from a checkpoint: the state_dicts of model and optimiser, the schedule, the
 * generator, and the remaining batches of the epoch. Every rank reads with map_location, or rank 0 reads and
 * broadcasts. With the same number of ranks as when saved, the script prints the losses of the resumed run. Called by
 * script.ts.
 */
import type { Config } from '../../protocol/config';
import { python } from './python';

export interface CheckpointCode {
  /** Modules beside torch. */
  readonly imports: readonly string[];
  /** Lines after the model, before its wrapper. */
  readonly model: readonly string[];
  /** Lines after the optimizer and the schedule. */
  readonly optimizer: readonly string[];
  /** Lines after the loader: `rest` has the remaining batches of epoch `first`. */
  readonly loader: readonly string[];
}

/**
 * A Python function that reads the state's file in the form of optimizer.load_state_dict, and a process's place in the
 * batches.
 */
const READ = [
  'def load_state(path, map_location, process):',
  "    with safe_open(path, 'pt', device=str(map_location)) as f:",
  '        meta, state = f.metadata(), {}',
  '        for key in sorted(f.keys()):  # state.0.exp_avg; @cuda:1 behind it: what that rank has of its own',
  "            name, _, owner = key.partition('@cuda:')",
  "            if name.startswith('state.') and owner in ('', str(process)):",
  "                _, number, name = name.split('.')",
  '                state.setdefault(int(number), {})[name] = f.get_tensor(key)',
  "        order, sizes = (f.get_tensor(f'sampler.{process}.{name}').tolist() for name in ('rows', 'sizes'))",
  "        rng = f.get_tensor(f'rng_state.{process}').cpu()",
  '    return meta, state, order, sizes, rng',
];

interface Reading {
  /** A Python expression for the device of the process. */
  readonly device: string;
  /** A Python expression: whether rows go to a GPU. */
  readonly pinned: string;
  /** Whether there are several processes, each a rank. */
  readonly ranks: boolean;
  /** A Python expression for the numbers of the rows in `dataset`, if it lacks some. */
  readonly indices: string | undefined;
  /** Lines that advance the schedule. */
  readonly advance: readonly string[];
  /** Further state of the mode in the file. */
  readonly notRead: readonly string[];
}

export function checkpointCode(
  config: Config,
  { device, pinned, ranks, indices, advance, notRead }: Reading,
): CheckpointCode {
  const { resume, scheduler, resumeBy } = config;
  if (resume === undefined) return { imports: [], model: [], optimizer: [], loader: [] };
  const [model, state] = [python(`${resume}.safetensors`), python(`${resume}.state.safetensors`)];
  const process = ranks ? 'rank' : '0';
  const byRank0 = ranks && resumeBy === 'rank0';
  const loadModel = `model.load_state_dict(load_file(${model}, device=str(${device})))`;
  const moved = `meta['${scheduler?.every === 'epoch' ? 'epoch' : 'optimizer_steps'}']`;
  return {
    imports: ['import json', 'from safetensors import safe_open', 'from safetensors.torch import load_file'],
    model: byRank0
      ? ['if rank == 0:  # DistributedDataParallel broadcasts what it has read', `    ${loadModel}`]
      : [`${loadModel}  # map_location: the device of this process`],
    optimizer: [
      ...READ,
      ...(byRank0
        ? [
            `ranks = range(${config.worldSize})`,
            `saved = [[load_state(${state}, ${device}, r) for r in ranks] if rank == 0 else None]`,
            'torch.distributed.broadcast_object_list(saved, src=0)',
            'meta, state, order, sizes, rng = saved[0][rank]',
          ]
        : [`meta, state, order, sizes, rng = load_state(${state}, map_location=${device}, process=${process})`]),
      ...(scheduler === undefined
        ? []
        : [
            'optimizer.step()  # without gradients it changes nothing; the scheduler wants it before its own',
            `for _ in range(int(${moved})):`,
            ...advance.map((text) => `    ${text}`),
          ]),
      "saved_groups = json.loads(meta['param_groups'])",
      'groups = [{**own, **saved} for own, saved in zip(optimizer.param_groups, saved_groups)]',
      "optimizer.load_state_dict({'state': state, 'param_groups': groups})",
      ...leftOut(config, notRead),
    ],
    loader: [
      "first, done = int(meta['epoch']), int(meta['micro_batch'])",
      "left = torch.tensor(order).split(sizes)[done - first * int(meta['batches_per_epoch']):]",
      ...(indices === undefined ? [] : [`place = {row: i for i, row in enumerate(${indices})}`]),
      indices === undefined
        ? 'left = [batch.tolist() for batch in left]'
        : 'left = [[place[row] for row in batch.tolist()] for batch in left]',
      '# a generator of its own: the default one stays where it was saved',
      `rest = DataLoader(dataset, batch_sampler=left, generator=torch.Generator(), pin_memory=${pinned})`,
      'torch.set_rng_state(rng)',
    ],
  };
}

/** A comment about state in the file that the run restores and the script does not. */
function leftOut({ accumulate }: Config, ofMode: readonly string[]): readonly string[] {
  const what = [...(accumulate > 1 ? ['gradients of a group of micro-batches that was begun'] : []), ...ofMode];
  return what.length === 0 ? [] : [`# not read here: ${what.join(', ')}`];
}
