/**
 * The page's side of the worker wall, and the only file of the page that talks to a session's Worker. It starts the
 * session worker, hands it the event and the control port, and has it supervised (supervised-worker.ts). It keeps no
 * state of the run; controller.ts does.
 */
import { type Remote, transfer, wrap } from 'comlink';
import { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import type { RecordOptions, Report } from '../../protocol/report';
import type { CheckpointFiles, ControlMessage, Files, SessionApi } from '../../protocol/session';
import type { SessionEvent } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import type { Snapshot } from '../../protocol/snapshot';
import type { StepTrace } from '../../protocol/trace';
import { takeWorker } from './session-worker';
import { superviseWorker } from './supervised-worker';

export interface SessionClient {
  /** If it rejects, the page keeps listening to the session that was open before. */
  open(config: Config, files: Files, from?: CheckpointFiles): Promise<SessionInfo>;
  traceStep(): Promise<StepTrace>;
  snapshot(): Promise<Snapshot>;
  readonly predict: SessionApi['predict'];
  readonly generate: SessionApi['generate'];
  readonly attention: SessionApi['attention'];
  reset(): Promise<void>;
  run(config: unknown, files: Files, records?: RecordOptions): Promise<Report>;
  saveWeights(): Promise<Uint8Array<ArrayBuffer>>;
  readonly saveCheckpoint: SessionApi['saveCheckpoint'];
  readonly saveShards: SessionApi['saveShards'];
  readonly controlRun: SessionApi['controlRun'];
  readonly listing: SessionApi['listing'];
  readonly exportRun: SessionApi['exportRun'];
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
  /** An error in the worker outside all calls; the worker goes on. */
  onStray(error: LockstepError): void;
}

interface Ports {
  readonly events: MessageChannel;
  readonly control: MessageChannel;
}

function closePorts(ports: Ports | undefined): void {
  ports?.events.port1.close();
  ports?.control.port1.close();
}

export function startSession({ onEvent, onFailure, onStray }: SessionListener): SessionClient {
  const { worker, failed } = takeWorker(window);
  const api: Remote<SessionApi> = wrap<SessionApi>(worker);
  let ports: Ports | undefined;
  const onEnd = () => closePorts(ports);
  const { call, heard, fail, end } = superviseWorker({ worker, api, failed: failed(), onFailure, onStray, onEnd });

  const listen = (next: Ports) => {
    next.events.port1.onmessage = (message: MessageEvent<SessionEvent>) => {
      heard();
      onEvent(message.data);
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
    run: (...given) => call(() => api.run(...given)),
    saveWeights: () => call(() => api.saveWeights()),
    saveCheckpoint: (...given) => call(() => api.saveCheckpoint(...given)),
    saveShards: (...given) => call(() => api.saveShards(...given)),
    controlRun: (wanted) => call(() => api.controlRun(wanted)),
    listing: () => call(() => api.listing()),
    exportRun: (...given) => call(() => api.exportRun(...given)),
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
    end: () => end(new LockstepError('aborted', 'The session was ended.')),
  };
}
