/**
 * A `torchrun` command (also `python -m torch.distributed.run` and `.launch`), with its defaults, as the layout of a
 * launch. Called by parse-launch-line.ts.
 */

import type { LaunchLayout } from './layout';
import { FREE_PORT } from './master-port';
import { launchError, type OptionTable, readOptions, wholeNumber } from './options';

const BACKENDS = ['static', 'c10d', 'etcd', 'etcd-v2'];
/** torchrun's default ports: MASTER_PORT of the static rendezvous, and the store's port of the c10d rendezvous. */
const STATIC_PORT = 29_500;
const C10D_PORT = 29_400;
const TABLE: OptionTable = {
  launcher: 'torchrun',
  long: {
    nnodes: 'value',
    nproc_per_node: 'value',
    node_rank: 'value',
    rdzv_id: 'value',
    rdzv_backend: 'value',
    rdzv_endpoint: 'value',
    rdzv_conf: 'value',
    master_addr: 'value',
    master_port: 'value',
    local_addr: 'value',
    max_restarts: 'value',
    monitor_interval: 'value',
    start_method: 'value',
    role: 'value',
    log_dir: 'value',
    redirects: 'value',
    tee: 'value',
    standalone: 'flag',
    module: 'flag',
    no_python: 'flag',
    run_path: 'flag',
    use_env: 'flag',
  },
  short: { m: 'module', r: 'redirects', t: 'tee' },
};

export interface LaunchMachine {
  /** The line's CUDA_VISIBLE_DEVICES. */
  readonly visibleDevices: readonly number[] | undefined;
  /** The number of devices for `gpu` if the line does not set the visible devices. */
  readonly devicesPerNode: number;
  /** The name for a host that only a variable names. Default 'node0'. */
  readonly firstHost?: string;
  /** For `lockstep torchrun`: options name the run, not a script. */
  readonly lockstep?: boolean;
}

export function readTorchrun(words: readonly string[], machine: LaunchMachine): LaunchLayout {
  const { given, rest } = readOptions(words, { ...TABLE, takesScriptOptions: machine.lockstep === true });
  const notes: string[] = [];
  const nodes = nodesOf(given.get('nnodes') ?? '1', notes);
  const processes = processesOf(given.get('nproc_per_node') ?? '1', machine, notes);
  const standalone = given.has('standalone');
  const backend = given.get('rdzv_backend') ?? (standalone ? 'c10d' : 'static');
  if (!BACKENDS.includes(backend))
    throw launchError(
      `torchrun: --rdzv_backend: there is no rendezvous backend ${JSON.stringify(backend)}.`,
      `One of ${BACKENDS.join(', ')}.`,
    );
  if (standalone && nodes > 1)
    throw launchError(
      `torchrun: --standalone starts one node, but --nnodes asks for ${nodes}.`,
      'Leave --standalone out and give --rdzv_endpoint, or --nnodes=1.',
    );
  const found = endpointOf(given, backend, standalone);
  const endpoint = found.host.startsWith('$') ? { ...found, host: machine.firstHost ?? 'node0' } : found;
  if (nodes > 1 && (endpoint.host === '127.0.0.1' || endpoint.host === 'localhost'))
    notes.push(
      `${nodes} nodes connect at ${endpoint.host}, which is a different machine on each node: on real machines they wait until the timeout. Give --${backend === 'static' ? 'master_addr' : 'rdzv_endpoint'}.`,
    );
  const nodeRank = given.get('node_rank');
  const own = nodeRank === undefined ? undefined : wholeNumber(nodeRank, 'torchrun: --node_rank', 0);
  if (own !== undefined && own >= nodes)
    throw launchError(
      `torchrun: --node_rank=${own} is out of range: there are ${nodes} nodes.`,
      `--node_rank must be from 0 to ${nodes - 1}.`,
    );
  if (own !== undefined && backend !== 'static')
    notes.push(
      `With --rdzv_backend=${backend} nodes get their numbers at the rendezvous; --node_rank=${own} is ignored.`,
    );
  if (rest.length === 0 && !machine.lockstep)
    throw launchError(
      'torchrun: the following arguments are required: training_script.',
      'Put the script at the end: torchrun ... train.py',
    );
  const scheduled = wholeNumber(given.get('max_restarts') ?? '0', 'torchrun: --max_restarts', 0);
  return {
    launcher: 'torchrun',
    processesOfNode: Array.from({ length: nodes }, () => processes),
    hosts: [endpoint.host],
    master: backend === 'static' ? endpoint : { ...endpoint, port: FREE_PORT },
    maxRestarts: scheduled,
    rendezvous: {
      id: given.get('rdzv_id') ?? (standalone ? 'standalone' : 'none'),
      backend,
      endpoint: `${endpoint.host}:${endpoint.port}`,
    },
    script: rest,
    notes,
    ...(own === undefined || nodes === 1 || backend !== 'static' ? {} : { nodeRank: own }),
  };
}

/** "2", or "1:4": the least and the most nodes of the job. All machines are available, so it starts with the most. */
function nodesOf(text: string, notes: string[]): number {
  const [min = '', max, ...more] = text.split(':');
  const least = wholeNumber(min, 'torchrun: --nnodes', 1);
  if (max === undefined) return least;
  const most = wholeNumber(max, 'torchrun: --nnodes', 1);
  if (more.length > 0 || least > most)
    throw launchError(`torchrun: --nnodes=${text} must be MIN:MAX with MIN <= MAX.`, 'For example --nnodes=1:4.');
  if (least < most)
    notes.push(
      `--nnodes=${text} is elastic: ${least} to ${most} nodes. Lockstep starts ${most}, and the number does not change during the run.`,
    );
  return most;
}

function processesOf(text: string, { visibleDevices, devicesPerNode }: LaunchMachine, notes: string[]): number {
  if (!['gpu', 'auto', 'cpu'].includes(text)) return wholeNumber(text, 'torchrun: --nproc_per_node', 1);
  if (text === 'cpu')
    throw launchError(
      'torchrun: --nproc_per_node=cpu starts one process per CPU core, but Lockstep does not know the number of cores of your machine.',
      'Give a number.',
    );
  const count = visibleDevices?.length ?? devicesPerNode;
  if (visibleDevices === undefined)
    notes.push(`--nproc_per_node=${text} starts one process per device; a node is assumed to have ${count}.`);
  if (count === 0)
    throw launchError(
      'torchrun: --nproc_per_node=gpu, but no device is visible.',
      'CUDA_VISIBLE_DEVICES is empty: list devices, or leave CUDA_VISIBLE_DEVICES out.',
    );
  return count;
}

function endpointOf(
  given: ReadonlyMap<string, string>,
  backend: string,
  standalone: boolean,
): { readonly host: string; readonly port: number } {
  const text = given.get('rdzv_endpoint');
  if (backend === 'static' && (text === undefined || given.has('master_addr') || given.has('master_port')))
    return {
      host: given.get('master_addr') ?? '127.0.0.1',
      port: wholeNumber(given.get('master_port') ?? String(STATIC_PORT), 'torchrun: --master_port', 0),
    };
  if (text === undefined) {
    if (standalone || backend === 'c10d') return { host: 'localhost', port: C10D_PORT };
    throw launchError(
      `torchrun: --rdzv_backend=${backend} needs --rdzv_endpoint.`,
      'For example --rdzv_endpoint=node0:29400.',
    );
  }
  const match = /^(\[[^\]]+\]|[^:]+)(?::(.*))?$/.exec(text);
  if (!match)
    throw launchError(
      `torchrun: --rdzv_endpoint=${text} is not HOST:PORT.`,
      'For example --rdzv_endpoint=node0:29400.',
    );
  const port = match[2] ?? String(backend === 'static' ? STATIC_PORT : C10D_PORT);
  return { host: match[1] ?? text, port: wholeNumber(port, 'torchrun: --rdzv_endpoint', 0) };
}
