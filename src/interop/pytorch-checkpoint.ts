/**
 * The lines of the listing that go on from a checkpoint: the model's state_dict, the optimiser's, the schedule and the generator. Every rank reads with map_location, or
 * rank 0 reads and broadcasts. Called by pytorch-code.ts.
 */
import type { Config } from '../protocol/config';
import { python } from './python';

export interface CheckpointCode {
  /** Modules beside torch. */
  readonly imports: readonly string[];
  /** After the model, before what wraps it. */
  readonly model: readonly string[];
  /** After the optimizer and the schedule. */
  readonly optimizer: readonly string[];
}

/** What reads the state's file as optimizer.load_state_dict wants it. */
const READ = [
  'def load_state(path, map_location):',
  "    with safe_open(path, 'pt', device=map_location) as f:",
  '        meta, state = f.metadata(), {}',
  '        for key in f.keys():  # state.0.exp_avg; what one rank holds has @cuda:1 behind them',
  "            if key.startswith('state.') and '@' not in key:",
  "                _, number, name = key.split('.')",
  '                state.setdefault(int(number), {})[name] = f.get_tensor(key)',
  "        groups = json.loads(meta['param_groups'])",
  "        rng = f.get_tensor('rng_state.0').cpu()",
  "    return {'state': state, 'param_groups': groups}, rng, int(meta['optimizer_steps']), int(meta['epoch'])",
];

/** `device`: a Python expression for the device of the process. */
export function checkpointCode(config: Config, device: string): CheckpointCode {
  const { resume, scheduler, mode, resumeBy } = config;
  if (resume === undefined) return { imports: [], model: [], optimizer: [] };
  const [model, state] = [python(`${resume}.safetensors`), python(`${resume}.state.safetensors`)];
  const byRank0 = mode === 'ddp' && resumeBy === 'rank0';
  const loadModel = `model.load_state_dict(load_file(${model}, device=${device}))`;
  return {
    imports: ['import json', 'from safetensors import safe_open', 'from safetensors.torch import load_file'],
    model: byRank0
      ? ['if rank == 0:  # DistributedDataParallel broadcasts what it has read', `    ${loadModel}`]
      : [`${loadModel}  # map_location: the device of this process`],
    optimizer: [
      ...READ,
      ...(byRank0
        ? [
            `saved = [load_state(${state}, ${device}) if rank == 0 else None]`,
            'torch.distributed.broadcast_object_list(saved, src=0)',
            'optimizer_state, rng, done, epoch = saved[0]',
          ]
        : [`optimizer_state, rng, done, epoch = load_state(${state}, map_location=${device})`]),
      ...(scheduler === undefined
        ? []
        : [`for _ in range(${scheduler.every === 'epoch' ? 'epoch' : 'done'}):`, '    scheduler.step()']),
      'optimizer.load_state_dict(optimizer_state)',
      'torch.set_rng_state(rng)',
      '# the run goes on within the epoch; this script begins one, with the next order that the generator draws',
    ],
  };
}
