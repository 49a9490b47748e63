/**
 * The process groups that one rank takes part in: it joins each in the cluster, finds its end of a group, and closes
 * it. dist.ts checks the calls that are made on them.
 */
import type { LockstepError } from '../base/errors';
import { placesByNode } from '../mesh/nodes';
import type { AlgorithmName } from '../protocol/collective';
import type { Backend } from '../protocol/process-group';
import type { Members } from './calls/check-arguments';
import type { CallGroup } from './dist-calls';
import type { FlightRecorder } from './flight-recorder';
import { ProcessGroup } from './process-group';
import type { ClusterAccess } from './seats';
import type { Meeting } from './store/rendezvous';
import { torchError } from './torch-error';

export const DEFAULT_GROUP = 'default_pg';

export interface OpenGroupOptions {
  readonly timeoutMs: number;
  readonly backend: Backend;
  /** Algorithm of the collectives. */
  readonly algorithm: AlgorithmName;
}

export class OpenGroups {
  private readonly groups = new Map<string, ProcessGroup>();

  constructor(
    private readonly access: ClusterAccess,
    private readonly recorder: FlightRecorder,
    /** LOCAL_WORLD_SIZE is the size of a node; without a launcher, a node is the whole world. */
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  async open(
    { rank: own, worldSize, id: worldId }: Meeting,
    group: CallGroup,
    options: OpenGroupOptions,
  ): Promise<void> {
    const { timeoutMs, backend, algorithm } = options;
    const rank = group.ranks.indexOf(own);
    const nodeSize = Number(this.environment['LOCAL_WORLD_SIZE'] ?? worldSize);
    const seat = await this.access.join({ worldId, worldSize, name: group.name, ranks: group.ranks, rank, backend });
    const isDefault = group.name === DEFAULT_GROUP;
    this.groups.set(
      group.name,
      new ProcessGroup(
        {
          id: isDefault ? 0 : Number(group.name),
          name: isDefault ? '0' : group.name,
          description: isDefault ? DEFAULT_GROUP : 'undefined',
          ranks: group.ranks,
          rank,
          timeoutMs,
          algorithm,
          nodes: placesByNode(group.ranks, (member) => Math.floor(member / nodeSize)),
        },
        seat.ledger,
        seat.backend,
        this.recorder,
      ),
    );
  }

  /** This rank's end of the group. `rank`: this rank's number in the world. */
  member(group: CallGroup, rank: number): ProcessGroup {
    const found = this.groups.get(group.name);
    if (found) return found;
    throw torchError(
      'RuntimeError',
      'Invalid process group specified',
      `Rank ${rank} is not in the group [${group.ranks.join(', ')}], or has destroyed it.`,
    );
  }

  close({ name }: CallGroup): void {
    this.groups.get(name)?.close(torchError('RuntimeError', 'The process group was destroyed.', '', {}, 'aborted'));
    this.groups.delete(name);
  }

  closeAll(why: LockstepError): void {
    for (const group of this.groups.values()) group.close(why);
    this.groups.clear();
  }
}

export const membersOf = (group: CallGroup, own: ProcessGroup): Members => ({
  ranks: group.ranks,
  rank: own.options.rank,
  backend: own.backendName,
  isDefault: group.name === DEFAULT_GROUP,
});
