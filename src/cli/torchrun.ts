/**
 * `lockstep torchrun ...` and `lockstep srun ...`: the launch in words, and the run that it means: DDP with one rank
 * per process. launch/ parses the line; this module replaces the configuration's ranks by the line's and prints which
 * ranks run where.
 */

import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { launchSettings } from '../launch/launch-settings';
import { parseLaunchLine } from '../launch/parse-launch-line';
import { FACES } from '../parallel/faces';
import type { LaunchPlan } from '../protocol/process-group';

/** Joins the shell's arguments to one line again, with CUDA_VISIBLE_DEVICES before it as on the original line. */
export function readLaunch(launcher: string, args: readonly string[], visibleDevices: string | undefined): LaunchPlan {
  const words = [`lockstep ${launcher}`, ...args.map((word) => `'${word.replaceAll("'", `'\\''`)}'`)];
  const before = visibleDevices === undefined ? [] : [`CUDA_VISIBLE_DEVICES='${visibleDevices}'`];
  return parseLaunchLine([...before, ...words].join(' '));
}

/** The words after the launcher's options: options of `lockstep train`, with or without these two words before them. */
export function launchedOptions({ script }: LaunchPlan): readonly string[] {
  const words = script[0] === 'lockstep' ? script.slice(1) : script;
  const options = words[0] === 'train' ? words.slice(1) : words;
  const [first] = options;
  if (first === undefined || first.startsWith('-')) return options;
  throw new LockstepError(
    'config',
    `lockstep torchrun starts a configuration, not ${first}.`,
    'For example lockstep torchrun --nproc_per_node 4 --config run.json; with srun, write -- --config run.json at the end.',
  );
}

/** The modes in which every process is a rank. */
const LAUNCHED: readonly string[] = Object.values(FACES).flatMap(({ launchable, name }) => (launchable ? [name] : []));

export function launchedConfig(
  plan: LaunchPlan,
  config: Readonly<Record<string, unknown>>,
): { readonly config: Record<string, unknown>; readonly replaced: readonly string[] } {
  const mode = config['mode'] ?? 'ddp';
  if (!LAUNCHED.includes(String(mode)))
    throw new LockstepError(
      'config',
      `${plan.launcher} starts ${plan.worldSize} processes, but mode ${String(mode)} runs in one process.`,
      `Leave "mode" out, or set it to ${LAUNCHED.slice(0, -1).join(', ')} or ${LAUNCHED.at(-1)}. For the other modes use lockstep train.`,
    );
  const settings = launchSettings(plan);
  const replaced = Object.entries(settings).flatMap(([key, value]) =>
    lookup(config, key) !== undefined && JSON.stringify(lookup(config, key)) !== JSON.stringify(value)
      ? [
          `${key} is ${JSON.stringify(value)}, as ${plan.launcher} says; the configuration's ${JSON.stringify(lookup(config, key))} is ignored.`,
        ]
      : [],
  );
  return { config: { ...config, mode, ...settings }, replaced };
}

/** Lines about nodes, ranks and the variables of each process. */
export function launchLines({
  launcher,
  nodes,
  worldSize,
  maxRestarts,
  rendezvous,
  notes,
}: LaunchPlan): readonly string[] {
  const { id, backend, endpoint } = rendezvous;
  const restarts = maxRestarts === 0 ? 'no restart' : `at most ${maxRestarts} restart${maxRestarts === 1 ? '' : 's'}`;
  return [
    `${launcher}: ${worldSize} processes on ${nodes.length} node${nodes.length === 1 ? '' : 's'}, ${restarts}; rendezvous ${backend} ${id} at ${endpoint}`,
    ...nodes.flatMap(({ host, ranks }) => [
      `  ${host}`,
      ...ranks.map(
        (rank) =>
          `    ${Object.entries(rank)
            .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
            .join(' ')}`,
      ),
    ]),
    ...notes.map((note) => `  note: ${note}`),
  ];
}
