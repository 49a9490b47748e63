/**
 * The lines of a listing that choose devices: GPUs if the machine has enough of them, otherwise the CPU, so that every
 * listing runs as printed. A rank uses the GPU of its LOCAL_RANK. Called by the modes' listings; train.py has set_up()
 * of export/python/launch.py in their place.
 */

/** A process with one device. */
export const ONE_DEVICE: readonly string[] = [
  "device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')",
];

/** A line that checks whether a process that drives several devices has enough GPUs. */
export const enoughGpus = (devices: number): string =>
  `gpus = torch.cuda.device_count() >= ${devices}  # else everything is on the CPU`;

/**
 * The process group and the device of a rank. `timeout`: of the process group, an argument or nothing. `offloads`:
 * tensors in the memory of the host have collectives, too.
 */
export function ranksLines(timeout: readonly string[], offloads = false): readonly string[] {
  const onGpus = offloads ? "'cpu:gloo,cuda:nccl'" : "'nccl'";
  return [
    "gpus = torch.cuda.device_count() >= int(os.environ['LOCAL_WORLD_SIZE'])  # one for each rank; else the CPU",
    `torch.distributed.init_process_group(${[`${onGpus} if gpus else 'gloo'`, ...timeout].join(', ')})`,
    'rank = torch.distributed.get_rank()',
    "device = torch.device('cuda', int(os.environ['LOCAL_RANK'])) if gpus else torch.device('cpu')",
    'if gpus:',
    '    torch.cuda.set_device(device)',
  ];
}

/**
 * The end of a script with ranks. The variables `holders` hold DistributedDataParallel, which holds the process group,
 * so they are deleted first: with gloo, a DDP object that outlives destroy_process_group() may hang its process at the
 * end. `graph`: variables whose autograd graph also holds the group; they may be unset.
 */
export function endOfGroup({ holders, graph }: GroupHolders): readonly string[] {
  const all = [...holders, ...graph];
  const letGo = graph.length > 0 ? `${all.join(' = ')} = None` : `del ${all.join(', ')}`;
  return [
    ...(all.length > 0 ? [`${letGo}  # DistributedDataParallel holds the process group`] : []),
    'torch.distributed.destroy_process_group()',
  ];
}

export interface GroupHolders {
  readonly holders: readonly string[];
  readonly graph: readonly string[];
}
