/**
 * The groups of the ranks that met in one rendezvous, each with its ledger and transport, made when the first member
 * joins. In the cluster's thread.
 */
import type { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import type { Backend } from '../protocol/process-group';
import { closePorts, createPortMesh, type Ports } from '../runtime/transport/rank-links';
import { createGloo } from './backends/gloo';
import type { GroupBackend } from './backends/group-backend';
import { NcclDevice, type OpenExecutor } from './backends/nccl';
import { GroupLedger } from './ledger/group-ledger';
import { Whereabouts } from './ledger/whereabouts';
import type { LedgerSeat } from './seats';

interface Group {
  readonly ledger: GroupLedger;
  readonly mesh: readonly Ports[];
  readonly nccl: NcclDevice | undefined;
  readonly backends: Set<GroupBackend>;
}

export class DistributedWorld {
  private readonly groups = new Map<string, Group>();
  private readonly whereabouts = new Whereabouts();
  private readonly left = new Set<number>();

  constructor(
    readonly worldSize: number,
    private readonly openNccl: OpenExecutor | undefined,
    private readonly onEmpty: () => void,
  ) {}

  /** Joins `rank` (counted within the group) to a group of the given global ranks. */
  join(name: string, ranks: readonly number[], rank: number, backend: Backend): LedgerSeat {
    const group = this.group(name, ranks, backend);
    const own = group.nccl ? group.nccl.backend(rank) : createGloo(rank, at(group.mesh, rank));
    group.backends.add(own);
    return { ledger: group.ledger, backend: own };
  }

  /** The same for a rank in another thread, which gets the ports of its gloo backend. */
  ports(name: string, ranks: readonly number[], rank: number): { readonly ledger: GroupLedger; readonly ports: Ports } {
    const { ledger, mesh } = this.group(name, ranks, 'gloo');
    return { ledger, ports: at(mesh, rank) };
  }

  /** A rank leaves all groups. */
  leave(rank: number, why: string): void {
    if (this.left.has(rank)) return;
    this.left.add(rank);
    for (const { ledger } of this.groups.values()) {
      const own = ledger.ranks.indexOf(rank);
      if (own >= 0) ledger.leave(own, why);
    }
    if (this.left.size < this.worldSize) return;
    for (const { mesh } of this.groups.values()) for (const ports of mesh) closePorts(ports);
    this.groups.clear();
    this.onEmpty();
  }

  private group(name: string, ranks: readonly number[], backend: Backend): Group {
    const known = this.groups.get(name);
    if (known) return known;
    const ledger = new GroupLedger(name, ranks, backend, this.whereabouts);
    const nccl =
      backend === 'nccl' ? new NcclDevice(ranks.length, must(this.openNccl, 'a device for nccl')) : undefined;
    const group: Group = { ledger, mesh: nccl ? [] : createPortMesh(ranks.length), nccl, backends: new Set() };
    // Running calls of a failed group wait for messages that will not arrive.
    ledger.onFailure((error: LockstepError) => {
      for (const backend of group.backends) backend.close(error);
    });
    this.groups.set(name, group);
    return group;
  }
}
