/**
 * The cluster as a rank in a worker sees it: every call goes through a port to cluster-host.ts; tensors go from rank to
 * rank through separate ports.
 */
import type * as Comlink from 'comlink';
import { fromWire, isWireError } from '../../base/errors';
import { createGloo } from '../backends/gloo';
import type { ClusterAccess } from '../seats';
import type { Store } from '../store/key-value-store';
import type { ClusterHost, OpenedStore, StoreCall } from './cluster-host';

export function remoteAccess(host: Comlink.Remote<ClusterHost>): ClusterAccess {
  const typed = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw isWireError(error) ? fromWire(error) : error;
    }
  };
  const opened = ({ id, handle }: OpenedStore) => ({
    id,
    store: remoteStore((call) => typed(host.store(handle, call))),
    leave: () => typed(host.leaveStore(handle)),
  });
  return {
    // The ranks do not share a memory space.
    hasNccl: false,
    tcp: async (name, port, serves, timeoutMs) => opened(await typed(host.tcp(name, port, serves, timeoutMs))),
    file: async (path, timeoutMs) => opened(await typed(host.file(path, timeoutMs))),
    async join(request) {
      const { group, ports } = await typed(host.join(request));
      const backend = createGloo(request.rank, ports);
      void host.failed(group).then((error) => backend.close(fromWire(error)));
      const ledger = {
        enter: (call: Parameters<ClusterHost['enter']>[1]) => typed(host.enter(group, call)),
        meet: (call: Parameters<ClusterHost['meet']>[1]) => typed(host.meet(group, call)),
        complete: (id: number) => typed(host.complete(group, id)),
      };
      return { ledger, backend };
    },
    leave: (worldId, worldSize, rank, why) => typed(host.leave(worldId, worldSize, rank, why)),
  };
}

function remoteStore(ask: (call: StoreCall) => Promise<unknown>): Store {
  return {
    set: async (...args) => {
      await ask({ method: 'set', args });
    },
    get: async (...args) => String(await ask({ method: 'get', args })),
    add: async (...args) => Number(await ask({ method: 'add', args })),
    wait: async (...args) => {
      await ask({ method: 'wait', args });
    },
    compareSet: async (...args) => String(await ask({ method: 'compareSet', args })),
    deleteKey: async (...args) => (await ask({ method: 'deleteKey', args })) === true,
    numKeys: async (...args) => Number(await ask({ method: 'numKeys', args })),
    setTimeout: async (...args) => {
      await ask({ method: 'setTimeout', args });
    },
  };
}
