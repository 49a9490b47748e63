/**
 * For each device of the mesh, the device of its machine (CUDA_VISIBLE_DEVICES) and the adapter that computes for it
 * (`adapters` lists the machines' devices, node after node). Refuses impossible settings as CUDA would. Called by
 * parse-config.ts, and by training when a world is opened.
 */
import type { LockstepError } from '../base/errors';
import { refusedSettings } from '../base/refused-settings';
import { spreadOverNodes } from '../mesh/nodes';
import type { ParallelMode } from '../parallel/mode';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Config } from '../protocol/config';

export type RankAdapterName = NonNullable<Config['adapters']>[number];

export interface RankDevice {
  readonly node: number;
  /** The index among the mesh's devices on this node, PyTorch's cuda:k. */
  readonly local: number;
  /** The device's number on the machine. */
  readonly ordinal: number;
  /** Undefined: as in the setting `device`. */
  readonly adapter: RankAdapterName | undefined;
}

/** The devices for each device of the mesh. */
export function rankDevices(
  config: Config,
  mode: Pick<ParallelMode, 'mesh'> = PARALLEL_MODES[config.mode],
): readonly RankDevice[] {
  const { adapters, visibleDevices } = config;
  const worldSize = mode.mesh(config).devices.length;
  const nodes = Math.min(config.nodes, worldSize);
  const nodeOf = spreadOverNodes(worldSize, nodes);
  checkOnce(visibleDevices);
  if (adapters && config.placement === 'shared')
    throw refusedSettings({
      code: 'placement',
      settings: { adapters, placement: config.placement },
      why: 'with this placement all ranks share one GPUDevice',
      hint: 'Set placement to "workers": then each rank asks for its own adapter.',
    });
  if (adapters && adapters.length % nodes !== 0)
    throw refusedSettings({
      code: 'placement',
      settings: { adapters, nodes: config.nodes },
      why: `${adapters.length} ${adapters.length === 1 ? 'device' : 'devices'} cannot be divided evenly among ${nodes} nodes`,
      hint: 'List the same number of devices for each node.',
    });
  const perNode = adapters ? adapters.length / nodes : undefined;
  const taken = new Map<number, number>();
  return nodeOf.map((node) => {
    const local = taken.get(node) ?? 0;
    taken.set(node, local + 1);
    const ordinal = visibleDevices ? visibleDevices[local] : local;
    if (ordinal === undefined)
      throw invalidOrdinal(
        `local rank ${local} takes cuda:${local}, but CUDA_VISIBLE_DEVICES=${visibleDevices?.join(',')} shows ${visibleDevices?.length ?? 0}`,
        `Make ${visibleDevices?.length === 1 ? 'more devices' : 'as many devices'} visible as a node has ranks, or start fewer ranks.`,
        { visibleDevices, worldSize: config.worldSize },
      );
    if (perNode !== undefined && ordinal >= perNode)
      throw invalidOrdinal(
        `local rank ${local} takes device ${ordinal}, but adapters lists ${perNode} ${perNode === 1 ? 'device' : 'devices'}${nodes > 1 ? ' a node' : ''}`,
        'List an adapter for each device that a rank takes.',
        { adapters, worldSize: config.worldSize },
      );
    return { node, local, ordinal, adapter: perNode === undefined ? undefined : adapters?.[node * perNode + ordinal] };
  });
}

function checkOnce(visibleDevices: readonly number[] | undefined): void {
  const twice = visibleDevices?.find((device, i) => visibleDevices.indexOf(device) !== i);
  if (twice === undefined) return;
  throw refusedSettings({
    code: 'placement',
    settings: { visibleDevices },
    why: `CUDA_VISIBLE_DEVICES=${visibleDevices?.join(',')} names device ${twice} twice, and CUDA then shows no device at all`,
    hint: 'List each device once.',
  });
}

const invalidOrdinal = (why: string, hint: string, settings: Readonly<Record<string, unknown>>): LockstepError =>
  refusedSettings({ code: 'placement', settings, why: `CUDA error: invalid device ordinal: ${why}`, hint });
