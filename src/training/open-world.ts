/**
 * Opens the world of a blueprint on the chosen device and placement: shared, one worker per rank, or (without workers)
 * ranks in this thread, which send messages to each other directly.
 */
import { at, must } from '../base/invariant';
import { loadPart } from '../base/load-part';
import type { Program } from '../program/instruction';
import type { Config } from '../protocol/config';
import type { Rank } from '../protocol/trace';
import { canSpawnWorkers } from '../runtime/launch/can-spawn-workers';
import { createLocalWorld } from '../runtime/launch/local-world';
import { openExecutors } from '../runtime/launch/open-executors';
import type { DatasetTable, World, WorldGroupOptions } from '../runtime/launch/world';
import { createDirectMesh, createPortMesh } from '../runtime/transport/rank-links';
import type { DeviceChoice } from './device-keeper';

export interface WorldRequest {
  readonly programs: readonly Program[];
  readonly table: DatasetTable;
  readonly placement: Config['placement'];
  readonly rankOfDevice: readonly Rank[];
  readonly group?: WorldGroupOptions;
  /** Ranks in this thread are connected by MessagePorts, like ranks in workers. */
  readonly byPorts?: boolean | undefined;
  readonly choice: DeviceChoice;
  readonly gpu: GPU | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function openWorld({
  programs,
  table,
  placement,
  rankOfDevice,
  group = { timeoutMs: 60_000, slow: [] },
  byPorts = false,
  choice,
  gpu,
  onProgress,
}: WorldRequest): Promise<World> {
  const devices = rankOfDevice.map((_, d) => d);
  const { kind, opened } = choice;
  const options = { rankOf: (device: number) => at(rankOfDevice, device), timeoutMs: group.timeoutMs };
  if (placement === 'shared' || (devices.length === 1 && group.adapters === undefined)) {
    return createLocalWorld(
      await openExecutors({ kind, programs, devices, cpu: group.cpu }, { gpu, opened, onProgress }),
      table,
      options,
    );
  }
  if (canSpawnWorkers()) {
    const { createWorkerWorld } = await loadPart(
      'The starter of ranks in workers',
      () => import('../runtime/launch/worker-world'),
    );
    return createWorkerWorld({ programs, table }, kind, rankOfDevice, group);
  }
  const mesh = byPorts ? createPortMesh(devices.length) : createDirectMesh(devices.length);
  const ports = new Map(devices.map((d) => [d, must(mesh[d], `ports of cuda:${d}`)]));
  return createLocalWorld(
    await openExecutors({ kind, programs, devices, ports, group }, { gpu, onProgress }),
    table,
    options,
  );
}
