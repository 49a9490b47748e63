/**
 * Decides whether a failed run restarts, and whether it then continues by itself. Failed ranks are counted as torchrun
 * counts them. A lost device is not the program's fault, so it is replaced each time, unless no step finished since the
 * last loss. If losses follow each other so quickly that the run may be their cause, the run waits for the user. One
 * per run; supervisor.ts asks it.
 */
import type { LockstepError } from '../../base/errors';
import { isOfRank, isRestartable } from './restartable';

/** The run did not cause the loss of a device that worked for this long. */
const STEADY_MS = 1000;
/** This many losses without a steady device between them count as a crash loop. */
const LOOP = 5;

export class RestartPolicy {
  private ofRanks = 0;
  /** Devices lost since the last finished step. */
  private stuck = 0;
  private stuckAt = -1;
  /** Devices lost in quick succession. */
  private quick = 0;
  private recoveredMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Number of restarts of all ranks because one of them failed. */
  get restarts(): number {
    return this.ofRanks;
  }

  /** Whether the run restarts after a failure; `finished`: number of finished steps. */
  restartsAfter(failure: LockstepError, finished: number): boolean {
    if (!isRestartable(failure)) return false;
    if (isOfRank(failure)) {
      if (this.ofRanks >= this.most) return false;
      this.ofRanks++;
      return true;
    }
    this.stuck = finished > this.stuckAt ? 1 : this.stuck + 1;
    this.stuckAt = finished;
    this.quick = this.now() - this.recoveredMs > STEADY_MS ? 1 : this.quick + 1;
    return this.stuck <= this.most;
  }

  recovered(): void {
    this.recoveredMs = this.now();
  }

  /** Whether the run waits until the user continues it. */
  get waits(): boolean {
    return this.quick >= LOOP;
  }

  /** Number of devices lost in quick succession. */
  get losses(): number {
    return this.quick;
  }

  /** Forgets all failures, for a new start. */
  clear(): void {
    this.ofRanks = 0;
    this.stuck = 0;
    this.stuckAt = -1;
    this.quick = 0;
  }
}
