/**
 * Whether a run that has failed is started again, and whether it then goes on by itself. Ranks that fail are counted as
 * torchrun counts them. A lost device is no fault of the program, so it is replaced as often as it is lost: unless no
 * step comes to its end between two losses, and it waits for the user where losses follow each other so closely that
 * what runs may be their cause. One per run; supervisor.ts asks it.
 */
import type { LockstepError } from '../../base/errors';
import { isOfRank, isRestartable } from './restartable';

/** A device that lasts for so long was not lost because of what runs on it. */
const STEADY_MS = 1000;
/** So many losses without a steady device between them are taken for a loop. */
const LOOP = 5;

export class RestartPolicy {
  private ofRanks = 0;
  /** Losses of devices since the last step that came to its end. */
  private stuck = 0;
  private stuckAt = -1;
  /** Losses of devices, each soon after the one before. */
  private quick = 0;
  private recoveredMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How often all ranks have been started again because one of them failed. */
  get restarts(): number {
    return this.ofRanks;
  }

  /** A failure after so many finished steps: is the run started again? */
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

  /** It goes on when the user says so. */
  get waits(): boolean {
    return this.quick >= LOOP;
  }

  /** Losses of devices in close succession. */
  get losses(): number {
    return this.quick;
  }

  /** A new start. */
  clear(): void {
    this.ofRanks = 0;
    this.stuck = 0;
    this.stuckAt = -1;
    this.quick = 0;
  }
}
