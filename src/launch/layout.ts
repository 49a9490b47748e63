/** The content of a launcher's line before ranks are numbered, and the plan that numbers them. */
import type { LaunchPlan, RankEnvironment } from '../protocol/process-group';

export interface LaunchLayout {
  readonly launcher: LaunchPlan['launcher'];
  /** The number of processes on each node. */
  readonly processesOfNode: readonly number[];
  /** The names of the nodes, as far as they are known. */
  readonly hosts: readonly string[];
  readonly master: { readonly host: string; readonly port: number };
  readonly maxRestarts: number;
  readonly rendezvous: LaunchPlan['rendezvous'];
  readonly script: readonly string[];
  readonly notes: readonly string[];
  readonly nodeRank?: number;
}

/** Numbers ranks node by node, like torchrun and SLURM's block distribution. */
export function planOf(layout: LaunchLayout, visibleDevices: readonly number[] | undefined): LaunchPlan {
  const worldSize = layout.processesOfNode.reduce((sum, n) => sum + n, 0);
  let rank = 0;
  const nodes = layout.processesOfNode.map((processes, node) => ({
    host: layout.hosts[node] ?? (node === 0 ? layout.master.host : `node${node}`),
    ranks: Array.from(
      { length: processes },
      (_, local): RankEnvironment => ({
        RANK: rank++,
        LOCAL_RANK: local,
        GROUP_RANK: node,
        WORLD_SIZE: worldSize,
        LOCAL_WORLD_SIZE: processes,
        MASTER_ADDR: layout.master.host,
        MASTER_PORT: layout.master.port,
        CUDA_VISIBLE_DEVICES: visibleDevices?.join(','),
      }),
    ),
  }));
  return {
    launcher: layout.launcher,
    nodes,
    worldSize,
    maxRestarts: layout.maxRestarts,
    rendezvous: layout.rendezvous,
    script: layout.script,
    notes: layout.notes,
    ...(layout.nodeRank === undefined ? {} : { nodeRank: layout.nodeRank }),
    ...(visibleDevices === undefined ? {} : { visibleDevices }),
  };
}
