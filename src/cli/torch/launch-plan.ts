/**
 * The plan of a run in PyTorch (which ranks run where), from torchrun's options or the configuration, and torchrun's
 * options on this machine. Called by train-in-torch.ts.
 */
import { randomUUID } from 'node:crypto';
import { LockstepError } from '../../base/errors';
import type { LaunchPlan } from '../../protocol/process-group';
import { usageError } from '../option-values';
import { readLaunch } from '../torchrun';
import type { TorchOptions } from './options';

/** The relevant options of train. */
interface Given {
  readonly launch?: LaunchPlan;
  readonly torch: TorchOptions;
}

interface Asked {
  readonly worldSize: unknown;
  readonly maxRestarts: number;
}

/** The plan of a launch line, if there is one: of `lockstep torchrun` or `lockstep srun`, or of train's own options. */
export function torchPlan({ launch, torch: { launcher: words } }: Given, asked: Asked): LaunchPlan | undefined {
  if (launch && words.length > 0)
    throw usageError(`${words[0]} must come directly after "lockstep torchrun", before the configuration`);
  const plan = launch ?? (words.length > 0 ? readLine(words, asked) : undefined);
  const assumed = plan?.notes.find((note) => note.includes('is assumed to have'));
  if (assumed !== undefined)
    throw usageError('--nproc_per_node must be a number, unless CUDA_VISIBLE_DEVICES lists the GPUs');
  if (plan === undefined || plan.nodes.length === 1) return plan;
  const { launcher, rendezvous, nodes } = plan;
  if (launcher === 'slurm')
    throw new LockstepError(
      'config',
      `srun would start processes on ${nodes.length} machines, but this command runs on one machine.`,
      'Export the run (lockstep export) and submit its job.sbatch; or run lockstep train --engine torch with --nnodes and --rdzv_endpoint on each machine.',
    );
  if (rendezvous.backend === 'static' && plan.nodeRank === undefined)
    throw usageError(
      '--node_rank must say which machine this is; with --rdzv_backend c10d the machines are numbered for you',
    );
  return plan;
}

/** `--nnodes 2 --rdzv_endpoint gpu01:29400` without a number of processes: as many as the configuration's worldSize. */
function readLine(words: readonly string[], { worldSize, maxRestarts }: Asked): LaunchPlan {
  const value = (name: string): string | undefined => words[words.indexOf(`--${name}`) + 1];
  const has = (name: string): boolean => words.includes(`--${name}`);
  const nodes = has('nnodes') ? Number(value('nnodes')) : 1;
  if (nodes > 1 && !has('rdzv_endpoint'))
    throw usageError('--nnodes needs --rdzv_endpoint HOST:PORT: one of the machines, and a free port on that machine');
  const ranks = typeof worldSize === 'number' ? worldSize : 1;
  if (!has('nproc_per_node') && ranks % nodes !== 0)
    throw usageError(`${ranks} ranks are not spread evenly over ${nodes} machines: give --nproc_per_node N`);
  const processes = has('nproc_per_node') ? [] : ['--nproc_per_node', String(ranks / nodes)];
  // Without --node_rank, nodes are numbered in the order in which they arrive.
  const backend = has('node_rank') ? [] : ['--rdzv_backend', 'c10d'];
  return readLaunch(
    'torchrun',
    [...backend, ...processes, '--max_restarts', String(maxRestarts), ...words],
    process.env['CUDA_VISIBLE_DEVICES'],
  );
}

/** The plan of a configuration with this many ranks on this machine. */
export const planOnThisMachine = (ranks: number, maxRestarts: number): LaunchPlan =>
  readLaunch(
    'torchrun',
    ['--standalone', '--nproc_per_node', String(ranks), '--max_restarts', String(maxRestarts)],
    process.env['CUDA_VISIBLE_DEVICES'],
  );

/** torchrun's options on this machine. */
export function torchrunOptions(plan: LaunchPlan, maxRestarts: number): readonly string[] {
  const { nodes, worldSize, rendezvous, nodeRank } = plan;
  const common = [
    `--nnodes=${nodes.length}`,
    `--nproc_per_node=${worldSize / nodes.length}`,
    `--max_restarts=${maxRestarts}`,
    // Before torch 2.3, torchrun checked its processes only every five seconds.
    '--monitor_interval=0.2',
  ];
  // Before torch 2.0, --standalone used port 29400, which allowed only one run at a time.
  if (nodes.length === 1)
    return [...common, '--rdzv_backend=c10d', '--rdzv_endpoint=localhost:0', `--rdzv_id=${randomUUID()}`];
  const { backend, endpoint, id } = rendezvous;
  return [
    ...common,
    `--rdzv_backend=${backend}`,
    `--rdzv_endpoint=${endpoint}`,
    `--rdzv_id=${id}`,
    ...(nodeRank === undefined ? [] : [`--node_rank=${nodeRank}`]),
  ];
}

/** A line that says what is started. */
export function planLine({ nodes, worldSize, rendezvous, nodeRank }: LaunchPlan, maxRestarts: number): string {
  const restarts = maxRestarts === 0 ? 'no restart' : `at most ${maxRestarts} restart${maxRestarts === 1 ? '' : 's'}`;
  const here =
    nodes.length === 1
      ? `${worldSize} ${worldSize === 1 ? 'process' : 'processes'}`
      : `${worldSize / nodes.length} of ${worldSize} processes, on ${nodeRank === undefined ? 'one' : `node ${nodeRank}`} of ${nodes.length} nodes`;
  const meet =
    nodes.length === 1 ? '' : `; rendezvous ${rendezvous.backend} ${rendezvous.id} at ${rendezvous.endpoint}`;
  return `torchrun: ${here}, ${restarts}${meet}`;
}
