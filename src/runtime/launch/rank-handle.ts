/**
 * The handle of a rank in its own worker: calls, liveness, and termination. A rank that dies or stops responding is
 * reported once; worker-group.ts handles the consequences for the others.
 */
import * as Comlink from 'comlink';
import { fromWire, isWireError, LockstepError, toWire } from '../../base/errors';
import { underPolicy } from '../../base/policy-worker';
import { hearStrayRejections } from '../../base/stray-rejections';
import { within } from '../../base/within';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { Lifeline } from './lifeline';
import type { RankApi } from './rank';
import type { StandsAt } from './world';

/**
 * A rank that does not answer a call for this long has failed (PyTorch waits 10 minutes with NCCL, 30 with gloo; a page
 * cannot wait that long).
 */
const SILENCE_MS = 60_000;
/**
 * A rank that is only waiting for another rank answers a ping; it gets the same time again, so that the error names the
 * rank that really hangs.
 */
const PING_MS = 2000;
/** Time that a rank has to release its devices before its worker is terminated. */
const FAREWELL_MS = 500;
/** Time that the remaining ranks of a failed world have to report their current instructions. */
const POSITIONS_MS = 300;

export class RankHandle {
  readonly api: Comlink.Remote<RankApi>;
  /** Rejects when the rank is gone: its worker died or stopped responding, or its world was disposed. */
  readonly gone: Promise<never>;
  readonly lifeline = new Lifeline();
  private end: (error: LockstepError) => void = () => {};
  private heard = 0;
  private dead = false;

  constructor(
    readonly rank: Rank,
    readonly devices: readonly DeviceIndex[],
    private readonly worker: Worker,
    /** Called once, with the result. */
    private readonly onFailure: (rank: RankHandle, what: string) => void,
  ) {
    this.gone = new Promise<never>((_, reject) => {
      this.end = reject;
    });
    this.gone.catch(() => {});
    worker.addEventListener('error', (event) => {
      // Otherwise the event reaches this worker's creator, which would consider the session dead, too.
      event.preventDefault();
      this.fail(`failed: ${event.message || 'its worker could not be started'}`);
    });
    // Forwards it to this worker's creator, and so to the page.
    hearStrayRejections(worker, (error) => void Promise.reject(error));
    worker.addEventListener('messageerror', () => this.fail('received a message that it could not read'));
    void this.lifeline.untilEnd().then(() => this.fail('ended: its worker no longer exists'));
    this.api = Comlink.wrap<RankApi>(worker);
  }

  /** The rank's answer, or the error that it died of; always settles. */
  async answer<T>(call: Promise<T>): Promise<T> {
    const asked = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pinged = false;
    const listen = () => {
      const left = Math.max(asked, this.heard) + SILENCE_MS - performance.now();
      if (left > 0) timer = setTimeout(listen, left);
      else if (pinged) this.fail(`has not answered for ${SILENCE_MS / 1000} s`);
      else {
        pinged = true;
        this.ping();
        timer = setTimeout(listen, PING_MS);
      }
    };
    listen();
    try {
      return await Promise.race([call, this.gone]);
    } catch (error) {
      throw isWireError(error) ? fromWire(error) : error;
    } finally {
      this.heard = performance.now();
      clearTimeout(timer);
    }
  }

  private ping(): void {
    const heard = () => {
      this.heard = performance.now();
    };
    this.api.ping().then(heard, heard);
  }

  /** Resolves with the error if the rank or its device is lost. */
  untilLost(): Promise<LockstepError> {
    const asError = (error: unknown): LockstepError =>
      error instanceof LockstepError ? error : new LockstepError('rank-failed', String(error));
    return Promise.race([this.api.untilLost().then(fromWire), this.gone]).catch(asError);
  }

  async dispose(): Promise<void> {
    this.lifeline.expectEnd();
    // A dead rank would not answer.
    if (!this.dead) await within(FAREWELL_MS, this.api.dispose()).catch(() => {});
    this.close(new LockstepError('aborted', 'The process group was destroyed.'));
    this.kill();
  }

  /** Fails all pending and later calls with this error. */
  close(error: LockstepError): void {
    this.end(error);
  }

  /** Terminates the worker. */
  kill(): void {
    this.dead = true;
    this.lifeline.expectEnd();
    this.worker.terminate();
  }

  /** Tells the rank that the group has failed elsewhere. */
  abort(error: LockstepError): void {
    if (!this.dead) this.api.abort(toWire(error)).catch(() => {});
  }

  /** The current instructions of its devices; empty if the rank does not report them in time. */
  async positions(limitMs = POSITIONS_MS): Promise<readonly StandsAt[]> {
    let found: readonly StandsAt[] = [];
    const asked = this.api.positions().then((positions) => {
      found = positions;
    });
    await within(limitMs, asked).catch(() => {});
    return found;
  }

  fail(what: string): void {
    this.dead = true;
    this.onFailure(this, what);
  }
}

export function spawnRank(rank: Rank): Worker {
  return underPolicy(
    (Worker) => new Worker(new URL('./rank-worker.ts', import.meta.url), { type: 'module', name: `rank ${rank}` }),
  );
}
