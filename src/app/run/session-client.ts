/**
 * The page's side of the worker wall, and the only file of the page that talks to a session's Worker. It starts the
 * session worker, hands it the event and the control port, and has it supervised (supervised-worker.ts). It keeps no
 * state of the run; controller.ts does.
 */
import { type Remote, transfer, wrap } from 'comlink';
import { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import type {
  CallsOfRun,
  CallsWithoutRun,
  CheckpointFiles,
  ControlMessage,
  Files,
  SessionApi,
} from '../../protocol/session';
import type { SessionEvent } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import { takeWorker } from './session-worker';
import { superviseWorker } from './supervised-worker';

export interface SessionClient {
  /** If it rejects, the page keeps listening to the session that was open before. */
  open(config: Config, files: Files, from?: CheckpointFiles): Promise<SessionInfo>;
  traceStep(): Promise<StepTrace>;
  reset(): Promise<void>;
  /** Asks the open run: `ask((run) => run.predict(input))`. */
  ask<T>(question: (run: CallsOfRun) => Promise<T>): Promise<T>;
  /** The same for calls that need no open run. */
  askApart<T>(question: (session: CallsWithoutRun) => Promise<T>): Promise<T>;
  control(message: ControlMessage): void;
  /** Ends the worker; calls still under way reject with code 'aborted'. */
  end(): void;
}

export interface SessionListener {
  onEvent(event: SessionEvent): void;
  /** The worker is gone; every later call rejects with this error. */
  onFailure(error: LockstepError): void;
  /** An error in the worker outside all calls; the worker keeps running. */
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
    reset: () => call(() => api.reset()),
    ask: (question) => call(() => question(api)),
    askApart: (question) => call(() => question(api)),
    control: (message) => ports?.control.port1.postMessage(message),
    end: () => end(new LockstepError('aborted', 'The session was ended.')),
  };
}
