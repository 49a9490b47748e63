/**
 * `srun` and `sbatch` commands, and `#SBATCH` lines, as the layout of a launch. SLURM starts one task per process;
 * SLURM_PROCID is its rank, SLURM_LOCALID its local rank, and the script derives PyTorch's variables from them. `srun
 * torchrun ...` is torchrun's launch on SLURM's nodes. Called by parse-launch-line.ts.
 */
import type { LaunchLayout } from './layout';
import { launchError, type OptionTable, readOptions, wholeNumber } from './options';

const TABLE: OptionTable = {
  launcher: 'srun',
  long: {
    ...Object.fromEntries(
      [
        [
          'nodes',
          'ntasks',
          'ntasks_per_node',
          'tasks_per_node',
          'gpus',
          'gpus_per_node',
          'gpus_per_task',
          'gres',
          'nodelist',
          'wrap',
          'cpus_per_task',
        ],
        [
          'account',
          'array',
          'begin',
          'chdir',
          'comment',
          'constraint',
          'cpu_bind',
          'cpus_per_gpu',
          'dependency',
          'distribution',
          'error',
          'exclude',
          'export',
        ],
        [
          'gpu_bind',
          'input',
          'job_name',
          'jobid',
          'mail_type',
          'mail_user',
          'mem',
          'mem_per_cpu',
          'mem_per_gpu',
          'mpi',
          'open_mode',
          'output',
          'partition',
        ],
        [
          'qos',
          'reservation',
          'signal',
          'time',
          'threads_per_core',
          'hint',
          'container_image',
          'container_mounts',
          'ntasks_per_gpu',
          'ntasks_per_socket',
        ],
      ]
        .flat()
        .map((name) => [name, 'value' as const]),
    ),
    ...Object.fromEntries(
      [
        'exclusive',
        'label',
        'unbuffered',
        'quiet',
        'verbose',
        'requeue',
        'no_requeue',
        'overlap',
        'pty',
        'kill_on_bad_exit',
        'parsable',
        'wait',
        'spread_job',
      ].map((name) => [name, 'flag' as const]),
    ),
  },
  short: {
    N: 'nodes',
    n: 'ntasks',
    G: 'gpus',
    w: 'nodelist',
    c: 'cpus_per_task',
    A: 'account',
    a: 'array',
    D: 'chdir',
    C: 'constraint',
    d: 'dependency',
    m: 'distribution',
    e: 'error',
    x: 'exclude',
    i: 'input',
    J: 'job_name',
    o: 'output',
    p: 'partition',
    q: 'qos',
    t: 'time',
    l: 'label',
    u: 'unbuffered',
    Q: 'quiet',
    v: 'verbose',
  },
};

/** The usual port of torch.distributed; SLURM sets none. */
const PORT = 29_500;

export interface SlurmLine {
  readonly layout: LaunchLayout;
  /** From --gpus-per-node and similar options; undefined if the line has none. */
  readonly devicesPerNode: number | undefined;
  /** The command that srun starts: a script, or another launcher. */
  readonly inner: readonly string[];
  readonly wrap: string | undefined;
}

/** `outer`: the words of `#SBATCH` lines, which srun's own options override. */
export function readSlurm(
  words: readonly string[],
  outer: readonly string[],
  variables: Readonly<Record<string, string>>,
): SlurmLine {
  const { given: own, rest } = readOptions(words, TABLE);
  const given = new Map([...readOptions(outer, TABLE).given, ...own]);
  const number = (name: string): number | undefined => {
    const text = given.get(name);
    return text === undefined ? undefined : wholeNumber(text, `srun: --${name.replaceAll('_', '-')}`, 1);
  };
  const notes: string[] = [];
  const hosts = hostsOf(given.get('nodelist') ?? '');
  const perNode = number('ntasks_per_node') ?? number('tasks_per_node');
  const ntasks = number('ntasks');
  const asked = nodesOf(given.get('nodes'), notes);
  let nodes =
    asked ??
    (hosts.length > 0 ? hosts.length : perNode !== undefined && ntasks !== undefined ? Math.ceil(ntasks / perNode) : 1);
  const tasks = ntasks ?? nodes * (perNode ?? 1);
  if (tasks < nodes) {
    notes.push(
      `srun cannot run ${tasks} ${tasks === 1 ? 'process' : 'processes'} on ${nodes} nodes, so it uses ${tasks}.`,
    );
    nodes = tasks;
  }
  if (perNode !== undefined && tasks > nodes * perNode)
    throw launchError(
      `srun: ${tasks} tasks do not fit on ${nodes} ${nodes === 1 ? 'node' : 'nodes'} with ${perNode} tasks per node.`,
      `Ask for --nodes=${Math.ceil(tasks / perNode)}, or for fewer tasks.`,
    );
  const processesOfNode = Array.from(
    { length: nodes },
    (_, node) => Math.floor(tasks / nodes) + (node < tasks % nodes ? 1 : 0),
  );
  const perTask = number('gpus_per_task');
  const devicesPerNode = devicesOf(given, number, nodes, Math.max(...processesOfNode));
  if (perTask === 1 && processesOfNode.some((n) => n > 1))
    notes.push(
      'With --gpus-per-task=1 a task sees one device, as cuda:0: torch.cuda.set_device(LOCAL_RANK) would say "invalid device ordinal" on local rank 1.',
    );
  const host = variables.MASTER_ADDR ?? hosts[0] ?? 'node0';
  const port = wholeNumber(variables.MASTER_PORT ?? String(PORT), 'MASTER_PORT', 0);
  const layout: LaunchLayout = {
    launcher: 'slurm',
    processesOfNode,
    hosts: hosts.length > 0 ? hosts : Array.from({ length: nodes }, (_, node) => `node${node}`),
    master: { host, port },
    // SLURM does not restart processes by itself.
    maxRestarts: 0,
    rendezvous: { id: given.get('job_name') ?? 'slurm', backend: 'static', endpoint: `${host}:${port}` },
    script: rest,
    notes,
  };
  return { layout, devicesPerNode, inner: rest, wrap: given.get('wrap') };
}

/** "2", or "2-4": SLURM gives as many nodes as it can. */
function nodesOf(text: string | undefined, notes: string[]): number | undefined {
  if (text === undefined) return undefined;
  const [min = '', max] = text.split('-');
  if (max === undefined) return wholeNumber(min, 'srun: --nodes', 1);
  const most = wholeNumber(max, 'srun: --nodes', wholeNumber(min, 'srun: --nodes', 1));
  notes.push(`--nodes=${text}: SLURM gives as many nodes as are free; Lockstep uses ${most}.`);
  return most;
}

function devicesOf(
  given: ReadonlyMap<string, string>,
  number: (name: string) => number | undefined,
  nodes: number,
  tasksPerNode: number,
): number | undefined {
  const typed = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : wholeNumber(text.split(':').at(-1) ?? text, 'srun: --gpus', 0);
  const gres = given
    .get('gres')
    ?.split(',')
    .find((part) => part.startsWith('gpu'));
  const perNode =
    typed(given.get('gpus_per_node')) ?? (gres === undefined ? undefined : gres === 'gpu' ? 1 : typed(gres));
  if (perNode !== undefined) return perNode;
  const perTask = number('gpus_per_task');
  if (perTask !== undefined) return perTask * tasksPerNode;
  const all = typed(given.get('gpus'));
  return all === undefined ? undefined : Math.ceil(all / nodes);
}

/** "gpu[01-03,07],login1" -> gpu01 gpu02 gpu03 gpu07 login1. */
function hostsOf(list: string): string[] {
  return [...list.matchAll(/([^,[\]]+)(?:\[([^\]]*)\])?/g)].flatMap(([, name = '', ranges]) => {
    if (ranges === undefined) return [name];
    return ranges.split(',').flatMap((range) => {
      const [from = '', to = from] = range.split('-');
      const first = wholeNumber(from, 'srun: --nodelist', 0);
      const last = wholeNumber(to, 'srun: --nodelist', first);
      return Array.from({ length: last - first + 1 }, (_, i) => name + String(first + i).padStart(from.length, '0'));
    });
  });
}
