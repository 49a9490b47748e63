/**
 * One session worker for all figures of a page. Each figure has what looks to it like a session of its own; only one of
 * them is open in the worker. Where another figure opens one, the state of the first is kept as a checkpoint, and it is
 * opened again from there when its figure asks for something: the same micro-batch, the same bits. Nothing of that is
 * seen by the figure's controller.
 */
import type { StartSession } from '../../../app/run/live-session';
import { FigureSession, type Right } from './figure-session';
import { PageWorker } from './page-worker';

/** A figure's right to the session. What it asks for meanwhile waits until it has it. */
export interface Grant {
  readonly startSession: StartSession;
  give(): void;
  take(): void;
}

export interface SharedSession {
  grant(): Grant;
  /** Starts the worker, before anybody asks. */
  warm(): void;
  end(): void;
}

export function createSharedSession(start: StartSession): SharedSession {
  const worker = new PageWorker(start);
  return {
    grant() {
      let waiting: (() => void)[] = [];
      let given = false;
      const right: Right = {
        wait: () => (given ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
      };
      return {
        startSession: (listener) => new FigureSession(worker, right, listener).client,
        give() {
          given = true;
          for (const go of waiting) go();
          waiting = [];
        },
        take() {
          given = false;
        },
      };
    },
    warm: () => void worker.now,
    end: () => worker.end(),
  };
}
