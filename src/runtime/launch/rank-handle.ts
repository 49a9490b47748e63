/**
 * A rank in a worker of its own, seen from outside: its calls, whether it is still there, and its end. One that dies or
 * falls silent is reported once; what that means for the others is worker-group.ts's.
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
 * A rank that has a call to answer and says nothing for that long has failed (PyTorch waits 10 minutes with NCCL, 30
 * with gloo; a page cannot wait so long).
 */
const SILENCE_MS = 60_000;
/**
 * A rank that is only waiting for another one answers a ping; it is given as long again, so that the silent one is
 * named.
 */
const PING_MS = 2000;
/** What a rank may take to give its devices back before its worker is ended. */
const FAREWELL_MS = 500;
/** What the ranks that are left may take to say which instruction they are at. */
const POSITIONS_MS = 300;

export class RankHandle {
  readonly api: Comlink.Remote<RankApi>;
  /** Rejects when the rank is gone: its worker died or fell silent, or its world was disposed. */
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
      // Else it goes on to whoever started this worker, and the session is taken for dead, too.
      event.preventDefault();
      this.fail(`failed: ${event.message || 'its worker could not be started'}`);
    });
    // On to this worker's own creator, and so to the page.
    hearStrayRejections(worker, (error) => void Promise.reject(error));
    worker.addEventListener('messageerror', () => this.fail('received a message that it could not read'));
    void this.lifeline.untilEnd().then(() => this.fail('ended: its worker no longer exists'));
    this.api = Comlink.wrap<RankApi>(worker);
  }

  /** The answer of the rank, or the error it died of; never left hanging. */
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

  /** Resolves with why the rank, or its device, is lost. */
  untilLost(): Promise<LockstepError> {
    const asError = (error: unknown): LockstepError =>
      error instanceof LockstepError ? error : new LockstepError('rank-failed', String(error));
    return Promise.race([this.api.untilLost().then(fromWire), this.gone]).catch(asError);
  }

  async dispose(): Promise<void> {
    this.lifeline.expectEnd();
    // One that has died would not answer.
    if (!this.dead) await within(FAREWELL_MS, this.api.dispose()).catch(() => {});
    this.close(new LockstepError('aborted', 'The process group was destroyed.'));
    this.kill();
  }

  /** Every call that waits for it, and every later one, ends with this error. */
  close(error: LockstepError): void {
    this.end(error);
  }

  /** Really ends the worker. */
  kill(): void {
    this.dead = true;
    this.lifeline.expectEnd();
    this.worker.terminate();
  }

  /** Tells it that the group has failed elsewhere. */
  abort(error: LockstepError): void {
    if (!this.dead) this.api.abort(toWire(error)).catch(() => {});
  }

  /** Which instruction its devices are at; nothing from one that does not say it in time. */
  async positions(): Promise<readonly StandsAt[]> {
    let found: readonly StandsAt[] = [];
    const asked = this.api.positions().then((positions) => {
      found = positions;
    });
    await within(POSITIONS_MS, asked).catch(() => {});
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
