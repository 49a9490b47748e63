/**
 * One session worker for all figures of a page. Each figure seems to have a session of its own, but only one session is
 * open in the worker. If another figure opens one, the first session's state becomes a checkpoint, from which it opens
 * again when its figure asks for something: at the same micro-batch, with the same bits. The figure's controller
 * notices nothing.
 */
import type { StartSession } from '../../../app/run/live-session';
import { FigureSession, type Right } from './figure-session';
import { PageWorker } from './page-worker';

/** A figure's right to the session. Its requests wait until it has this right. */
export interface Grant {
  readonly startSession: StartSession;
  give(): void;
  take(): void;
}

export interface SharedSession {
  grant(): Grant;
  /** Starts the worker before the first request. */
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
