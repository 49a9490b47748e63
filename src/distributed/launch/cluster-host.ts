/**
 * The cluster's interface for one rank in another thread: calls with plain data, answered with numbers that stand for
 * stores and groups; ports of a gloo group are transferred. remote-access.ts is the other side. Errors cross as wire
 * errors.
 */
import * as Comlink from 'comlink';
import { toWire, type WireError } from '../../base/errors';
import { at } from '../../base/invariant';
import type { Ports } from '../../runtime/transport/rank-links';
import type { Cluster } from '../cluster';
import { clusterAccess } from '../cluster-access';
import type { LedgerCollective, LedgerPass, PeerCall } from '../ledger/calls';
import type { GroupLedger } from '../ledger/group-ledger';
import type { GroupRequest } from '../seats';
import type { Store } from '../store/key-value-store';

export interface OpenedStore {
  readonly id: string;
  readonly handle: number;
}

/** A call of the store, by name. */
export type StoreCall = {
  [K in keyof Store]: { readonly method: K; readonly args: Parameters<Store[K]> };
}[keyof Store];

export interface ClusterHost {
  tcp(host: string, port: number, serves: boolean, timeoutMs: number): Promise<OpenedStore>;
  file(path: string, timeoutMs: number): Promise<OpenedStore>;
  store(handle: number, call: StoreCall): Promise<unknown>;
  leaveStore(handle: number): Promise<void>;
  join(request: GroupRequest): Promise<{ readonly group: number; readonly ports: Ports }>;
  enter(group: number, call: LedgerCollective): Promise<LedgerPass>;
  meet(group: number, call: PeerCall): Promise<LedgerPass>;
  complete(group: number, id: number): Promise<void>;
  /** Resolves when the group has failed. */
  failed(group: number): Promise<WireError>;
  leave(worldId: string, worldSize: number, rank: number, why: string): Promise<void>;
}

export interface HostedRank {
  readonly host: ClusterHost;
  /** Called when the rank's thread is gone, on behalf of the rank. */
  end(why: string): Promise<void>;
}

export function hostRank(cluster: Cluster, machine: string): HostedRank {
  const access = clusterAccess(cluster, machine);
  const stores: { readonly store: Store; leave(): Promise<void> }[] = [];
  const groups: GroupLedger[] = [];
  const joined = new Map<string, GroupRequest>();
  const typed = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task();
    } catch (error) {
      throw toWire(error);
    }
  };
  const keep = ({ id, store, leave }: Awaited<ReturnType<typeof access.tcp>>): OpenedStore => ({
    id,
    handle: stores.push({ store, leave }) - 1,
  });
  const host: ClusterHost = {
    tcp: (name, port, serves, timeoutMs) => typed(async () => keep(await access.tcp(name, port, serves, timeoutMs))),
    file: (path, timeoutMs) => typed(async () => keep(await access.file(path, timeoutMs))),
    store: (handle, { method, args }) =>
      typed(async () => {
        const { store } = at(stores, handle);
        return (store[method] as (...given: unknown[]) => Promise<unknown>)(...args);
      }),
    leaveStore: (handle) => typed(() => at(stores, handle).leave()),
    join: (request) =>
      typed(async () => {
        const { worldId, worldSize, name, ranks, rank } = request;
        joined.set(worldId, request);
        const { ledger, ports } = cluster.world(worldId, worldSize).ports(name, ranks, rank);
        return Comlink.transfer({ group: groups.push(ledger) - 1, ports }, [...ports.values()]);
      }),
    enter: (group, call) => typed(() => at(groups, group).enter(call)),
    meet: (group, call) => typed(() => at(groups, group).meet(call)),
    complete: (group, id) => typed(() => at(groups, group).complete(id)),
    failed: (group) => new Promise((resolve) => at(groups, group).onFailure((error) => resolve(toWire(error)))),
    leave: (worldId, worldSize, rank, why) =>
      typed(async () => {
        joined.delete(worldId);
        await access.leave(worldId, worldSize, rank, why);
      }),
  };
  return {
    host,
    async end(why) {
      for (const { worldId, worldSize, ranks, rank } of joined.values())
        await access.leave(worldId, worldSize, at(ranks, rank), why);
      joined.clear();
      for (const { leave } of stores) await leave();
    },
  };
}
