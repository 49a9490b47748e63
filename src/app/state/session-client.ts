/**
 * The page's side of the worker wall, and the only file of the page that knows a Worker. It starts the session worker,
 * hands it the event and the control port, and supervises it: a worker that ends, answers rubbish or falls silent
 * becomes a typed error, also while nobody waits for an answer, and no promise is left hanging. It keeps no state of
 * the run; controller.ts does.
 */
import { type Remote, transfer, wrap } from 'comlink';
import { fromWire, isWireError, LockstepError } from '../../base/errors';
import { hearStrayRejections } from '../../base/stray-rejections';
import type { Config } from '../../protocol/config';
import type { Report } from '../../protocol/report';
import type { CheckpointFiles, ControlMessage, Files, SessionApi } from '../../protocol/session';
import type { SessionEvent } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import type { Snapshot } from '../../protocol/snapshot';
import type { StepTrace } from '../../protocol/trace';
import { takeWorker } from './session-worker';

export interface SessionClient {
  /** When it rejects, the session that was open before stays the one that is listened to. */
  open(config: Config, files: Files, from?: CheckpointFiles): Promise<SessionInfo>;
  traceStep(): Promise<StepTrace>;
  snapshot(): Promise<Snapshot>;
  readonly predict: SessionApi['predict'];
  readonly generate: SessionApi['generate'];
  readonly attention: SessionApi['attention'];
  reset(): Promise<void>;
  run(config: unknown, files: Files): Promise<Report>;
  saveWeights(): Promise<Uint8Array<ArrayBuffer>>;
  readonly saveCheckpoint: SessionApi['saveCheckpoint'];
  readonly controlRun: SessionApi['controlRun'];
  readonly listing: SessionApi['listing'];
  readonly overlap: SessionApi['overlap'];
  readonly rehearse: SessionApi['rehearse'];
  readonly lab: SessionApi['lab'];
  readonly labCurves: SessionApi['labCurves'];
  readonly measureLab: SessionApi['measureLab'];
  corrupt(event: number | undefined, add: number): Promise<void>;
  loseDevice(): Promise<void>;
  readonly killRank: SessionApi['killRank'];
  readonly hangRank: SessionApi['hangRank'];
  readonly flightRecorder: SessionApi['flightRecorder'];
  control(message: ControlMessage): void;
  /** Ends the worker; calls still under way reject with code 'aborted'. */
  end(): void;
}

export interface SessionListener {
  onEvent(event: SessionEvent): void;
  /** The worker is gone; every later call rejects with this error. */
  onFailure(error: LockstepError): void;
  /** Something went wrong in the worker that no call was about; the worker goes on. */
  onStray(error: LockstepError): void;
}

/**
 * How often the worker is asked whether it is there, and how often it may leave that without an answer: a step may take
 * long.
 */
const ASK_MS = 5_000;
const UNANSWERED = 18;

const RESTART_HINT = 'Restart the session; it begins again from the same seed.';

function typed(error: unknown): LockstepError {
  if (error instanceof LockstepError) return error;
  if (isWireError(error)) return fromWire(error);
  return new LockstepError('internal', error instanceof Error ? error.message : String(error), RESTART_HINT);
}

interface Ports {
  readonly events: MessageChannel;
  readonly control: MessageChannel;
}

function closePorts(ports: Ports | undefined): void {
  ports?.events.port1.close();
  ports?.control.port1.close();
}

export function startSession(listener: SessionListener): SessionClient {
  const { worker, failed } = takeWorker(window);
  const api: Remote<SessionApi> = wrap<SessionApi>(worker);
  let ports: Ports | undefined;
  let failure: LockstepError | undefined;
  /** Since the worker was last heard; counted, so that a machine that slept has not been silent. */
  let unanswered = 0;
  const pending = new Set<(error: LockstepError) => void>();
  const ended = new AbortController();

  const heard = () => {
    unanswered = 0;
  };
  const stop = (error: LockstepError) => {
    if (failure) return;
    failure = error;
    clearInterval(asking);
    ended.abort();
    worker.terminate();
    closePorts(ports);
    for (const reject of [...pending]) reject(error);
  };
  const fail = (message: string, code: 'rank-failed' | 'not-loaded' = 'rank-failed') => {
    if (failure) return;
    const error = new LockstepError(code, message, RESTART_HINT);
    stop(error);
    listener.onFailure(error);
  };
  const asking = setInterval(() => {
    unanswered++;
    if (unanswered > UNANSWERED)
      fail(`The training worker has not answered for ${(UNANSWERED * ASK_MS) / 1000} seconds.`);
    else api.ping().then(heard, () => undefined);
  }, ASK_MS);
  // A worker that ends by itself tells nobody, but the browser gives on the lock that it held.
  const watchLife = async () => {
    if (!('locks' in navigator)) return;
    const life = `lockstep session ${crypto.randomUUID()}`;
    await api.holdLock(life);
    await navigator.locks.request(life, { signal: ended.signal }, () => fail('The training worker ended by itself.'));
  };
  watchLife().catch(() => undefined);

  const broke = (event: ErrorEvent) => {
    event.preventDefault();
    // A script that cannot be fetched is an event without a message.
    if (event.message) fail(`The training worker stopped: ${event.message}.`);
    else fail('The training worker could not be fetched.', 'not-loaded');
  };
  worker.addEventListener('error', broke);
  const early = failed();
  // Not before the caller has the client that the error is about.
  if (early) queueMicrotask(() => broke(early));
  hearStrayRejections(worker, (error) => listener.onStray(error));
  worker.addEventListener('messageerror', () => fail('The training worker sent a message that could not be read.'));

  /** Comlink's own promises never settle when the worker dies; these do. */
  const call = async <T>(start: () => Promise<T>): Promise<T> => {
    if (failure) throw failure;
    let reject: (error: LockstepError) => void = () => undefined;
    const died = new Promise<never>((_, no) => {
      reject = no;
    });
    pending.add(reject);
    try {
      return await Promise.race([start(), died]);
    } catch (error) {
      throw typed(error);
    } finally {
      pending.delete(reject);
      heard();
    }
  };

  const listen = (next: Ports) => {
    next.events.port1.onmessage = (message: MessageEvent<SessionEvent>) => {
      heard();
      listener.onEvent(message.data);
    };
    next.events.port1.onmessageerror = () => fail('The training worker sent an event that could not be read.');
  };

  return {
    async open(config, files, from) {
      const next: Ports = { events: new MessageChannel(), control: new MessageChannel() };
      listen(next);
      try {
        const [events, control] = [next.events.port2, next.control.port2];
        const info = await call(() =>
          api.open(config, files, transfer(events, [events]), transfer(control, [control]), from),
        );
        closePorts(ports);
        ports = next;
        return info;
      } catch (error) {
        closePorts(next);
        throw error;
      }
    },
    traceStep: () => call(() => api.traceStep()),
    snapshot: () => call(() => api.snapshot()),
    predict: (input) => call(() => api.predict(input)),
    generate: (prompt, length, temperature, seed) => call(() => api.generate(prompt, length, temperature, seed)),
    attention: (row) => call(() => api.attention(row)),
    reset: () => call(() => api.reset()),
    run: (config, files) => call(() => api.run(config, files)),
    saveWeights: () => call(() => api.saveWeights()),
    saveCheckpoint: (...given) => call(() => api.saveCheckpoint(...given)),
    controlRun: (wanted) => call(() => api.controlRun(wanted)),
    listing: () => call(() => api.listing()),
    overlap: () => call(() => api.overlap()),
    rehearse: (...given) => call(() => api.rehearse(...given)),
    lab: (request) => call(() => api.lab(request)),
    labCurves: (request) => call(() => api.labCurves(request)),
    measureLab: (request) => call(() => api.measureLab(request)),
    corrupt: (event, add) => call(() => api.corrupt(event, add)),
    loseDevice: () => call(() => api.loseDevice()),
    killRank: (rank, at) => call(() => api.killRank(rank, at)),
    hangRank: (rank, at) => call(() => api.hangRank(rank, at)),
    flightRecorder: () => call(() => api.flightRecorder()),
    control: (message) => ports?.control.port1.postMessage(message),
    end: () => stop(new LockstepError('aborted', 'The session was ended.')),
  };
}
