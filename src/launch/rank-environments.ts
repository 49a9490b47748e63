/**
 * The environment variables that torchrun would set for each process of a run. Called by session-info.ts; shown by the
 * page and in reports.
 */
import { at } from '../base/invariant';
import type { ParallelMode } from '../parallel/mode';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Config } from '../protocol/config';
import type { RankEnvironment } from '../protocol/process-group';
import { FREE_PORT } from './master-port';
import { rankDevices } from './rank-devices';

/** torchrun's default on one node. Several nodes meet by c10d at the first node, which picks a free port. */
const MASTER_PORT = 29_500;

export function rankEnvironments(
  config: Config,
  mode: Pick<ParallelMode, 'mesh'> = PARALLEL_MODES[config.mode],
): readonly RankEnvironment[] {
  const processes = mode.mesh(config).world.ranks;
  const devices = rankDevices(config, mode);
  const nodes = new Set(devices.map(({ node }) => node)).size;
  // One process drives all devices: DataParallel, model parallel.
  const nodeOf = (rank: number) => (processes.length === 1 ? 0 : at(devices, rank).node);
  return processes.map((rank) => {
    const beside = processes.filter((other) => nodeOf(other) === nodeOf(rank));
    return {
      RANK: rank,
      LOCAL_RANK: beside.indexOf(rank),
      GROUP_RANK: nodeOf(rank),
      WORLD_SIZE: processes.length,
      LOCAL_WORLD_SIZE: beside.length,
      MASTER_ADDR: processes.length > 1 && nodes > 1 ? 'node0' : '127.0.0.1',
      MASTER_PORT: processes.length > 1 && nodes > 1 ? FREE_PORT : MASTER_PORT,
      CUDA_VISIBLE_DEVICES: config.visibleDevices?.join(','),
    };
  });
}
