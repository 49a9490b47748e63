/**
 * The ranks of a world in this thread as a group that can fail: their positions, the faults that stop them, and the one
 * error that ends the group. local-world.ts owns it and guards everything that waits with it.
 */
import { LockstepError } from '../../base/errors';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { Stop } from '../executor';
import { deviceLost } from '../webgpu/device';
import { groupTimeout, neverCame, rankFailed } from './group-failure';
import type { HostedExecutor } from './hosted-executor';
import type { Fault, StandsAt, StepFeed } from './world';

export interface LocalGroupOptions {
  /** Absent: every device is a rank. */
  readonly rankOf?: (device: DeviceIndex) => Rank;
  /** How long ranks wait for a hanging rank; absent: for ever. */
  readonly timeoutMs?: number;
  /** If this process is one rank: ends the worker. Absent: the hosted ranks end, and this thread continues. */
  readonly end?: () => void;
}

const faultOf = ({ what, rank, microBatch, instruction }: Fault): Fault => ({ what, rank, microBatch, instruction });

export class LocalGroup {
  /** The running or last step. */
  current: Pick<StepFeed, 'program' | 'microBatch'> | undefined;
  /** As World.lost. */
  readonly lost: Promise<LockstepError>;
  private readonly rankOf: (device: DeviceIndex) => Rank;
  private readonly timeoutMs: number | undefined;
  private readonly end: (() => void) | undefined;
  private hanging: (Fault & { readonly sinceMs: number }) | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private failure: LockstepError | undefined;
  /** Set when this rank waits for the failure of the group to arrive from elsewhere. */
  private broken: LockstepError | undefined;
  /** Rejects once the group has failed. */
  private readonly given: Promise<never>;
  private giveUp: (error: LockstepError) => void = () => {};
  private lose: (error: LockstepError) => void = () => {};

  constructor(
    private readonly hosted: readonly HostedExecutor[],
    { rankOf = (device) => device, timeoutMs, end }: LocalGroupOptions,
  ) {
    this.rankOf = rankOf;
    this.timeoutMs = timeoutMs;
    this.end = end;
    this.given = new Promise<never>((_, reject) => {
      this.giveUp = reject;
    });
    this.given.catch(() => {});
    const failed = new Promise<LockstepError>((resolve) => {
      this.lose = resolve;
    });
    this.lost = Promise.race([Promise.race(hosted.map((h) => h.executor.lost)).then(deviceLost), failed]);
    // Waiting for a lost device is pointless.
    void this.lost.then((error) => this.abort(error));
  }

  positions(): readonly StandsAt[] {
    const { current: step, hanging } = this;
    if (!step) return [];
    return this.hosted.flatMap(({ executor, waitedMs }) => {
      // If all devices share one memory, the others have waited since one of them stopped.
      const waited = waitedMs ? waitedMs() : hanging && performance.now() - hanging.sinceMs;
      return executor.positions().map((position) => {
        const hangs = hanging !== undefined && hanging.rank === this.rankOf(position.device);
        return {
          ...position,
          program: step.program,
          microBatch: step.microBatch,
          ...(hanging && hangs ? { fault: faultOf(hanging) } : {}),
          ...(waited === undefined || hangs ? {} : { waitedMs: waited }),
        };
      });
    });
  }

  /** Where an executor with these devices stops for the fault; undefined: it does not host the fault's rank. */
  stopOn(devices: readonly DeviceIndex[], fault: Fault): Stop | undefined {
    const stopped = devices.filter((d) => this.rankOf(d) === fault.rank);
    if (stopped.length === 0) return undefined;
    return {
      devices: stopped,
      instruction: fault.instruction,
      reached: () => {
        if (fault.what === 'kill') this.endRank(fault.rank, fault);
        else this.hang(fault);
        return this.given;
      },
    };
  }

  /** Ends a hosted rank, on request or by a fault. Ranks elsewhere notice it through their ports. */
  endRank(rank: Rank, fault: Fault | undefined): void {
    if (this.failure) return;
    if (this.end) {
      this.end();
      return;
    }
    const devices = this.hosted.flatMap((h) => h.devices.filter((d) => this.rankOf(d) === rank));
    this.fail(rankFailed(rank, devices, 'was killed', { positions: this.positions(), ...(fault ? { fault } : {}) }));
  }

  /** Ends all waiting with this error, and refuses further work. */
  abort(error: LockstepError): void {
    if (this.failure) return;
    this.failure = error;
    clearTimeout(this.watchdog);
    for (const { hangUp } of this.hosted) hangUp?.(error);
    this.giveUp(error);
  }

  /** Runs a task that fails when the group fails. A receive that times out in the task fails the group. */
  async guarded<T>(task: () => Promise<T>): Promise<T> {
    const before = this.failure ?? this.broken;
    if (before) throw before;
    try {
      return await Promise.race([task(), this.given]);
    } catch (error) {
      throw this.outcome(error);
    }
  }

  /** The error of the group that an error of one call causes. */
  private outcome(error: unknown): unknown {
    if (this.failure) return this.failure;
    if (!(error instanceof LockstepError)) return error;
    if (error.code === 'timeout' && !this.end) {
      const [waiting, rank] = [error.details['device'], error.details['peer']].map((d) => this.rankOf(Number(d)));
      this.fail(
        groupTimeout(error, {
          ...(waiting === undefined || rank === undefined ? {} : { waiting, rank }),
          positions: this.positions(),
        }),
      );
      return this.failure ?? error;
    }
    if (error.code === 'timeout' || error.code === 'rank-failed') this.broken ??= error;
    return error;
  }

  private fail(error: LockstepError): void {
    if (this.failure) return;
    this.abort(error);
    this.lose(error);
  }

  private hang(fault: Fault): void {
    const { timeoutMs } = this;
    this.hanging = { ...fault, sinceMs: performance.now() };
    if (timeoutMs === undefined || this.watchdog !== undefined) return;
    const speak = () => this.fail(neverCame(fault.rank, timeoutMs, { positions: this.positions(), fault }));
    // If others wait over ports, their more precise timeouts come first.
    this.watchdog = setTimeout(speak, this.hosted.some((h) => h.hangUp) ? timeoutMs + 1000 : timeoutMs);
  }
}
