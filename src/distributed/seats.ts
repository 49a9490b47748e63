/**
 * The calls of a rank to the cluster: open a store, join a group. cluster-access.ts answers them in the same thread,
 * launch/remote-access.ts from another thread.
 */
import type { Backend } from '../protocol/process-group';
import type { GroupBackend } from './backends/group-backend';
import type { Ledger } from './ledger/calls';
import type { StoreAccess } from './store/rendezvous';

export interface GroupRequest {
  /** Names the store through which the world met. */
  readonly worldId: string;
  readonly worldSize: number;
  readonly name: string;
  /** Global ranks of the members. */
  readonly ranks: readonly number[];
  /** Among them. */
  readonly rank: number;
  readonly backend: Backend;
}

/** What a rank needs to take part in a group. */
export interface LedgerSeat {
  readonly ledger: Ledger;
  readonly backend: GroupBackend;
}

export interface ClusterAccess extends StoreAccess {
  /** Is there one memory space for all ranks? */
  readonly hasNccl: boolean;
  join(request: GroupRequest): Promise<LedgerSeat>;
  /** The rank takes no further part in the world. `why`: "has ended", "terminated with ValueError: boom". */
  leave(worldId: string, worldSize: number, rank: number, why: string): Promise<void>;
}
