/** The session as the transport sees it: it runs one step, or freely. The controller is behind it. */
import type { ControlMessage } from '../../protocol/session';

export interface StepSource {
  /** Runs one step; resolves when its trace is in the store. */
  traceStep(): Promise<void>;
  control(message: ControlMessage): void;
  /** Resolves when the session has stopped running freely. */
  idle(): Promise<void>;
  report(error: unknown): void;
}
