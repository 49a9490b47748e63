/** The cluster's interface for a rank in the same thread. */
import type { Cluster } from './cluster';
import type { ClusterAccess } from './seats';

export function clusterAccess(cluster: Cluster, machine: string): ClusterAccess {
  return {
    hasNccl: cluster.nccl !== undefined,
    async tcp(host, port, serves, timeoutMs) {
      const served = serves
        ? cluster.listen(machine, host, port)
        : await cluster.connect(machine, host, port, timeoutMs);
      return {
        id: served.id,
        store: served.store.client(timeoutMs),
        leave: async () => {
          if (serves) cluster.close(served);
        },
      };
    },
    async file(path, timeoutMs) {
      const { id, store } = cluster.file(path);
      return { id, store: store.client(timeoutMs), leave: async () => cluster.closeFile(path) };
    },
    join: async ({ worldId, worldSize, name, ranks, rank, backend }) =>
      cluster.world(worldId, worldSize).join(name, ranks, rank, backend),
    leave: async (worldId, worldSize, rank, why) => cluster.world(worldId, worldSize).leave(rank, why),
  };
}
