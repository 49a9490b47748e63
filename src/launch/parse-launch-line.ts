/**
 * Parses a line that starts training, as PyTorch users know it: torchrun, srun or sbatch (also a batch script with
 * #SBATCH lines), mp.spawn; with or without CUDA_VISIBLE_DEVICES before it. Returns nodes, ranks and their variables;
 * starts nothing. Called by the page and the command line; launch-settings.ts converts the plan to settings.
 */
import { brief } from '../base/brief';
import type { LaunchPlan } from '../protocol/process-group';
import { type LaunchLayout, planOf } from './layout';
import { launchError, wholeNumber } from './options';
import { commandsOf, type ShellCommand } from './shell-words';
import { readSlurm } from './slurm';
import { readTorchrun } from './torchrun';

export interface LaunchOptions {
  /** The devices of a node if the line says `gpu` without a number. Default 8. */
  readonly devicesPerNode?: number;
}

const EXAMPLE = 'For example: torchrun --nnodes=2 --nproc_per_node=4 train.py';

export function parseLaunchLine(text: string, { devicesPerNode = 8 }: LaunchOptions = {}): LaunchPlan {
  const spawned = readSpawn(text);
  if (spawned) return planOf(spawned, undefined);
  const batch = [...text.matchAll(/^[ \t]*#SBATCH[ \t]+(.*)$/gm)].flatMap(([, line = '']) =>
    commandsOf(line).flatMap((c) => c.words),
  );
  const commands = commandsOf(text);
  const command = commands.find((c) => launcherOf(c) !== undefined);
  if (!command) {
    if (batch.length > 0) return slurmPlan([], batch, {}, devicesPerNode);
    throw noLauncher(commands[0], text);
  }
  const launcher = launcherOf(command);
  if (launcher?.name === 'torchrun' && batch.length === 0) {
    const visibleDevices = visibleIn(command.variables);
    return planOf(
      readTorchrun(launcher.words, { visibleDevices, devicesPerNode, lockstep: command.words[0] === 'lockstep' }),
      visibleDevices,
    );
  }
  const words = launcher?.name === 'torchrun' ? command.words : (launcher?.words ?? []);
  return slurmPlan(words, batch, command.variables, devicesPerNode);
}

function slurmPlan(
  words: readonly string[],
  batch: readonly string[],
  variables: Readonly<Record<string, string>>,
  devicesPerNode: number,
): LaunchPlan {
  const slurm = readSlurm(words, batch, variables);
  const inner = slurm.wrap === undefined ? slurm.inner : commandsOf(slurm.wrap)[0]?.words;
  const named = visibleIn(variables);
  const found = slurm.devicesPerNode;
  const visibleDevices = named ?? (found === undefined ? undefined : Array.from({ length: found }, (_, i) => i));
  const { hosts, processesOfNode, master } = slurm.layout;
  const nodes = processesOfNode.length;
  const known = {
    ...variables,
    SLURM_NNODES: String(nodes),
    SLURM_JOB_NUM_NODES: String(nodes),
    SLURM_GPUS_ON_NODE: String(found ?? devicesPerNode),
    MASTER_ADDR: master.host,
    MASTER_PORT: String(master.port),
  };
  // srun may start torchrun, once per node.
  const [command] = commandsOf((inner ?? []).map((word) => `"${word.replace(/["\\]/g, '\\$&')}"`).join(' '), known);
  const launcher = command && launcherOf(command);
  if (!launcher) return planOf(slurm.layout, visibleDevices);
  if (launcher.name !== 'torchrun')
    return slurmPlan(launcher.words, [...batch, ...optionsOnly(words, inner)], variables, devicesPerNode);
  const layout = readTorchrun(withoutOwnNumber(launcher.words), {
    visibleDevices,
    devicesPerNode: found ?? devicesPerNode,
    firstHost: master.host,
  });
  if (layout.processesOfNode.length !== nodes)
    throw launchError(
      `srun starts torchrun on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, but torchrun waits for --nnodes=${layout.processesOfNode.length} nodes.`,
      'Use the same number in both: --nnodes=$SLURM_NNODES.',
    );
  if (processesOfNode.some((tasks) => tasks !== 1))
    throw launchError(
      `srun starts ${Math.max(...processesOfNode)} torchruns on a node, and each of them starts one process per device.`,
      'srun --ntasks-per-node=1 torchrun --nproc_per_node=..., or srun --ntasks-per-node=... python train.py without torchrun.',
    );
  return planOf(
    { ...layout, launcher: 'slurm', hosts, notes: [...slurm.layout.notes, ...layout.notes] },
    visibleDevices,
  );
}

const optionsOnly = (words: readonly string[], inner: readonly string[] | undefined): readonly string[] =>
  words.slice(0, words.length - (inner?.length ?? 0));

/** Removes `--node_rank=$SLURM_NODEID`: the plan numbers the nodes itself. */
const withoutOwnNumber = (words: readonly string[]): readonly string[] =>
  words.filter(
    (word, i) =>
      !/^--node[-_]rank=\$/.test(word) &&
      !(/^--node[-_]rank$/.test(word) && (words[i + 1] ?? '').startsWith('$')) &&
      !(word.startsWith('$') && /^--node[-_]rank$/.test(words[i - 1] ?? '')),
  );

interface Launcher {
  readonly name: 'torchrun' | 'slurm';
  readonly words: readonly string[];
}

function launcherOf({ words }: ShellCommand): Launcher | undefined {
  const [first = '', ...rest] = words[0] === 'lockstep' ? words.slice(1) : words;
  const program = first.split('/').at(-1) ?? '';
  if (program === 'torchrun') return { name: 'torchrun', words: rest };
  if (program === 'srun' || program === 'sbatch' || program === 'salloc') return { name: 'slurm', words: rest };
  if (!/^python[\d.]*$/.test(program)) return undefined;
  const module = rest.findIndex((word, i) => rest[i - 1] === '-m' && /^torch\.distributed\.(run|launch)$/.test(word));
  return module < 0 ? undefined : { name: 'torchrun', words: rest.slice(module + 1) };
}

/**
 * mp.spawn(train, args=(...), nprocs=4): the processes of one node; the script sets MASTER_ADDR and MASTER_PORT itself.
 */
function readSpawn(text: string): LaunchLayout | undefined {
  if (!/\bspawn\s*\(/.test(text)) return undefined;
  const nprocs = /\bnprocs\s*=\s*([^,)\s]+)/.exec(text)?.[1];
  if (nprocs === undefined)
    throw launchError(
      `mp.spawn: "${brief(text.slice(text.search(/\bspawn\s*\(/)), 60)}" starts one process, since nprocs is not given.`,
      'For example mp.spawn(train, nprocs=4).',
    );
  const processes = wholeNumber(nprocs, 'mp.spawn: nprocs', 1);
  const master = { host: 'localhost', port: 12_355 };
  return {
    launcher: 'spawn',
    processesOfNode: [processes],
    hosts: ['localhost'],
    master,
    maxRestarts: 0,
    rendezvous: { id: 'none', backend: 'static', endpoint: `${master.host}:${master.port}` },
    script: [/spawn\s*\(\s*([\w.]+)/.exec(text)?.[1] ?? 'train'],
    notes: ['mp.spawn starts processes on this machine alone, each with its rank as first argument.'],
  };
}

function visibleIn({ CUDA_VISIBLE_DEVICES: text }: Readonly<Record<string, string>>): readonly number[] | undefined {
  if (text === undefined) return undefined;
  // CUDA stops at the first number that is not a device: '-1' hides all devices.
  const words = text.split(',').map((word) => word.trim());
  const end = words.findIndex((word) => word === '' || word === '-1');
  const devices = (end < 0 ? words : words.slice(0, end)).map((word) => wholeNumber(word, 'CUDA_VISIBLE_DEVICES', 0));
  const twice = devices.find((device, i) => devices.indexOf(device) !== i);
  if (twice !== undefined)
    throw launchError(
      `CUDA_VISIBLE_DEVICES=${text} names device ${twice} twice: CUDA then shows no device at all.`,
      'List each device once.',
    );
  return devices;
}

function noLauncher(command: ShellCommand | undefined, text: string) {
  if (command === undefined) {
    const [first = ''] = text.trim().split(/\s+/);
    if (first === '') return launchError('There is no command to read.', EXAMPLE);
    return launchError(
      `The text that begins with "${brief(first)}" has no command: it only sets variables, or contains only a comment.`,
      EXAMPLE,
    );
  }
  const [program = ''] = command.words;
  if (/^(python[\d.]*|.*\.py)$/.test(program))
    return launchError(
      `${program} starts one process; torch.distributed then finds no RANK and no WORLD_SIZE.`,
      `Let a launcher start it. ${EXAMPLE}`,
    );
  if (/^(mpirun|mpiexec|horovodrun|deepspeed|accelerate)$/.test(program))
    return launchError(`Lockstep does not know ${program}.`, `Use torchrun, srun, sbatch or mp.spawn. ${EXAMPLE}`);
  return launchError(`${JSON.stringify(program)} starts no processes for torch.distributed.`, EXAMPLE);
}
