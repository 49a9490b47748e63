/**
 * torch.distributed for one rank: a module in PyTorch, an object here, because many ranks share one thread. It runs
 * eagerly: each call is checked, entered in the ledger of its group, executed by the backend and recorded. With
 * `asyncOp: true` a call returns a Work; otherwise a promise. Made by spawn() and launch(), or by hand from a cluster.
 */
import type { LockstepError } from '../base/errors';
import { callName } from '../program/fingerprint';
import type { AlgorithmName } from '../protocol/collective';
import type { Backend, FlightRecorderDump } from '../protocol/process-group';
import { type CallSite, callSite } from './call-site';
import { type Members, peerIn } from './calls/check-arguments';
import * as calls from './calls/collectives';
import { newGroupRanks } from './calls/new-group';
import {
  type CallGroup,
  type CallOptions,
  DistCalls,
  type MaybeAsync,
  type PeerOptions,
  type PeerWork,
} from './dist-calls';
import { FlightRecorder } from './flight-recorder';
import { checkBackend, initWorld } from './init-world';
import { DEFAULT_GROUP, membersOf, type OpenGroupOptions, OpenGroups } from './open-groups';
import type { Prepared, ProcessGroup } from './process-group';
import type { ClusterAccess } from './seats';
import type { Store } from './store/key-value-store';
import type { Meeting } from './store/rendezvous';
import type { Tensor } from './tensor';
import { notInitialized, torchError } from './torch-error';
import { Work } from './work';

/** PyTorch waits 10 minutes with NCCL, 30 with gloo; a page cannot wait that long. */
const DEFAULT_TIMEOUT_S = 60;

export interface InitOptions {
  readonly backend?: string;
  /** Default 'env://'. */
  readonly initMethod?: string;
  readonly worldSize?: number;
  readonly rank?: number;
  readonly timeoutS?: number;
  /** Algorithm of the collectives; each group may have its own. */
  readonly algorithm?: AlgorithmName;
}

/** Options of the default group; other groups inherit them. */
interface World extends OpenGroupOptions {
  readonly meeting: Meeting;
  readonly group: CallGroup;
}

export class Dist extends DistCalls {
  /** The warnings that PyTorch would print. */
  readonly warnings: string[] = [];
  private world: World | undefined;
  private readonly recorder = new FlightRecorder();
  private readonly groups: OpenGroups;
  private madeGroups = 0;
  private lastRank = 0;

  constructor(
    private readonly access: ClusterAccess,
    /** os.environ of this process, set by a launcher. */
    readonly environment: Readonly<Record<string, string>> = {},
  ) {
    super();
    this.groups = new OpenGroups(access, this.recorder, environment);
  }

  async initProcessGroup({
    backend = 'gloo',
    initMethod = 'env://',
    rank,
    worldSize,
    timeoutS = DEFAULT_TIMEOUT_S,
    algorithm = 'ring',
  }: InitOptions = {}): Promise<void> {
    if (this.world)
      throw torchError(
        'RuntimeError',
        'trying to initialize the default process group twice!',
        'Call initProcessGroup() once per process; call destroyProcessGroup() before you call it again.',
      );
    const name = checkBackend(backend, this.access.hasNccl);
    const timeoutMs = 1000 * timeoutS;
    const request = { backend: name, initMethod, rank, worldSize, timeoutMs, environment: this.environment };
    const meeting = await initWorld(request, this.access);
    const group = { name: DEFAULT_GROUP, ranks: Array.from({ length: meeting.worldSize }, (_, r) => r) };
    this.world = { meeting, group, timeoutMs, backend: name, algorithm };
    this.madeGroups = 0;
    this.lastRank = meeting.rank;
    await this.groups.open(meeting, group, { timeoutMs, backend: name, algorithm });
  }

  isInitialized(): boolean {
    return this.world !== undefined;
  }

  /** For a sub-group: this rank makes no further calls in it. Without an argument: the rank leaves the world. */
  async destroyProcessGroup(group?: CallGroup): Promise<void> {
    if (!this.world)
      throw torchError(
        'AssertionError',
        '',
        'There is no process group to destroy: initProcessGroup() was never called, or destroyProcessGroup() was called twice.',
      );
    if (group && group.name !== DEFAULT_GROUP) {
      this.groups.close(group);
      return;
    }
    await this.end('has destroyed its process group');
  }

  /** Called by a launcher when the process ends, for whatever reason: the others get an error. */
  async end(why: string): Promise<void> {
    const { world } = this;
    if (!world) return;
    this.world = undefined;
    const { id, rank, worldSize, leave } = world.meeting;
    await this.access.leave(id, worldSize, rank, why);
    const ended: LockstepError = torchError('RuntimeError', `Rank ${rank} ${why}.`, '', {}, 'aborted');
    this.groups.closeAll(ended);
    await leave();
  }

  /** -1 if this rank is not in the group. */
  getRank(group?: CallGroup): number {
    const { meeting } = this.initialized();
    return group ? group.ranks.indexOf(meeting.rank) : meeting.rank;
  }

  getWorldSize(group?: CallGroup): number {
    const { meeting } = this.initialized();
    return group ? (group.ranks.includes(meeting.rank) ? group.ranks.length : -1) : meeting.worldSize;
  }

  getBackend(group?: CallGroup): Backend {
    const { group: all } = this.initialized();
    return this.member(group ?? all).backendName;
  }

  /** The store through which the world met: c10d's default store. */
  get store(): Store {
    return this.initialized().meeting.store;
  }

  /** Every rank of the world must call it, member or not, in the same order. Ranks are sorted, as in PyTorch. */
  async newGroup(
    ranks?: readonly number[],
    {
      timeoutS,
      backend,
      algorithm,
      site,
    }: {
      readonly timeoutS?: number;
      readonly backend?: string;
      readonly algorithm?: AlgorithmName;
      readonly site?: string;
    } = {},
  ): Promise<CallGroup> {
    const at = callSite(this.newGroup, site);
    const world = this.initialized();
    const sorted = newGroupRanks(ranks, world.group.ranks.length);
    const name = backend === undefined ? world.backend : checkBackend(backend, this.access.hasNccl);
    await this.member(world.group)
      .collective(
        { ...calls.barrier('BARRIER'), fingerprint: { opType: 'NEW_GROUP', shapes: [], dtypes: [], ranks: sorted } },
        { site: at },
      )
      .wait();
    const group = { name: String(++this.madeGroups), ranks: sorted };
    if (sorted.includes(world.meeting.rank))
      await this.groups.open(world.meeting, group, {
        timeoutMs: timeoutS === undefined ? world.timeoutMs : 1000 * timeoutS,
        backend: name,
        algorithm: algorithm ?? world.algorithm,
      });
    return group;
  }

  /** The flight recorder of this rank, as torch.distributed dumps it. */
  dumpFlightRecorder(): FlightRecorderDump {
    return this.recorder.dump(this.world?.meeting.rank ?? this.lastRank);
  }

  protected ranksOf(group: CallGroup | undefined): readonly number[] {
    return (group ?? this.initialized().group).ranks;
  }

  private initialized(): World {
    if (!this.world) throw notInitialized();
    return this.world;
  }

  /** This rank's end of the group. */
  private member(group: CallGroup): ProcessGroup {
    return this.groups.member(group, this.getRank());
  }

  protected issue(
    called: (...args: never[]) => unknown,
    options: MaybeAsync<CallOptions> & { readonly timeoutMs?: number | undefined },
    prepare: (members: Members) => Prepared,
  ): Work | Promise<void> {
    const site = callSite(called, options.site);
    if (options.asyncOp) return this.start(options, site, prepare);
    // A wrong argument rejects the promise, as every other error does.
    return (async () => this.start(options, site, prepare).wait())();
  }

  private start(
    { group, timeoutMs }: CallOptions & { readonly timeoutMs?: number | undefined },
    site: CallSite | undefined,
    prepare: (members: Members) => Prepared,
  ): Work {
    const world = this.initialized();
    const where = group ?? world.group;
    if (!where.ranks.includes(world.meeting.rank)) {
      const call = callName(
        prepare({ ranks: where.ranks, rank: 0, backend: world.backend, isDefault: false }).fingerprint.opType,
      );
      this.warnings.push(
        `Running ${call} on global rank ${world.meeting.rank} which does not belong to the given group.`,
      );
      return new Work(Promise.resolve());
    }
    const own = this.member(where);
    return own.collective(prepare(membersOf(where, own)), { site, timeoutMs });
  }

  protected peer(
    kind: 'send' | 'recv',
    tensor: Tensor,
    peer: number | undefined,
    { group, tag = 0 }: PeerOptions,
    site: CallSite | undefined,
  ): PeerWork {
    const world = this.initialized();
    const where = group ?? world.group;
    const own = this.member(where);
    const other = peer === undefined ? undefined : peerIn(membersOf(where, own), kind, peer);
    return own.pointToPoint(kind, tensor, other, tag, { site });
  }
}
