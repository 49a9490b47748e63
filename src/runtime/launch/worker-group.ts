/**
 * The ranks in workers as a group that can fail: the first failure of a rank fails all ranks. worker-world.ts owns it.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { groupTimeout, rankFailed } from './group-failure';
import type { RankHandle } from './rank-handle';
import type { FailureDetails, Fault, StandsAt, StepFeed } from './world';

export class WorkerGroup {
  readonly ranks: RankHandle[] = [];
  /** Resolves with the first failure. */
  readonly failed: Promise<LockstepError>;
  private lose: (error: LockstepError) => void = () => {};
  private failing: Promise<LockstepError> | undefined;
  /** Faults of the requested steps, to distinguish a rank that ends by a fault from a rank that crashed. */
  private readonly faults = new Map<Rank, Fault>();

  constructor(private readonly rankOfDevice: readonly Rank[]) {
    this.failed = new Promise<LockstepError>((resolve) => {
      this.lose = resolve;
    });
  }

  noteFaults(feeds: readonly StepFeed[]): void {
    for (const { fault } of feeds) if (fault) this.faults.set(fault.rank, fault);
  }

  ownerOf(device: DeviceIndex): RankHandle {
    return must(
      this.ranks.find((r) => r.devices.includes(device)),
      `rank of cuda:${device}`,
    );
  }

  async positions(limitMs?: number, without?: RankHandle): Promise<readonly StandsAt[]> {
    const asked = this.ranks.filter((rank) => rank !== without);
    return (await Promise.all(asked.map((rank) => rank.positions(limitMs)))).flat();
  }

  /** The same call on every rank. */
  async all<T>(call: (rank: RankHandle) => Promise<T>): Promise<T[]> {
    try {
      return await Promise.all(this.ranks.map((rank) => rank.answer(call(rank))));
    } catch (error) {
      throw await this.outcome(error);
    }
  }

  /** Fails all ranks with the first failure: asks the others for their positions, then ends their waiting. */
  failAll(make: (positions: readonly StandsAt[]) => LockstepError, without?: RankHandle): Promise<LockstepError> {
    this.failing ??= (async () => {
      const error = make(await this.positions(undefined, without));
      for (const rank of this.ranks) {
        if (rank !== without) rank.abort(error);
        rank.close(error);
      }
      this.lose(error);
      return error;
    })();
    return this.failing;
  }

  readonly onFailure = (rank: RankHandle, what: string): void => {
    const fault = this.faults.get(rank.rank);
    const killed = fault?.what === 'kill';
    void this.failAll(
      (positions) =>
        rankFailed(rank.rank, rank.devices, killed ? 'was killed' : what, {
          positions,
          ...(killed ? { fault } : {}),
        }),
      rank,
    );
  };

  async dispose(): Promise<void> {
    await Promise.all(this.ranks.map((rank) => rank.dispose()));
  }

  /** A receive that timed out, or whose peer has gone, ends the group, not only this rank. */
  private async outcome(error: unknown): Promise<unknown> {
    if (this.failing !== undefined) return this.failing;
    if (!(error instanceof LockstepError)) return error;
    const { device, peer } = error.details;
    if (error.code === 'timeout' && error.details['positions'] === undefined) {
      const who: Omit<FailureDetails, 'positions'> =
        peer === undefined ? {} : { waiting: this.rankOf(device), rank: this.rankOf(peer) };
      return this.failAll((positions) => groupTimeout(error, { ...who, positions }));
    }
    if (error.code === 'rank-failed' && device !== undefined) {
      const lost = this.ranks.find((r) => r.rank === this.rankOf(device));
      lost?.fail(`ended: ${error.message}`);
      return this.failing ?? error;
    }
    return error;
  }

  private rankOf(device: unknown): Rank {
    return must(this.rankOfDevice[Number(device)], `rank of cuda:${device}`);
  }
}
