/** The session's interface for the transport: runs one step, or runs freely. The controller implements it. */
import type { ControlMessage } from '../../protocol/session';

export interface StepSource {
  /** Runs one step; resolves when its trace is in the store. */
  traceStep(): Promise<void>;
  control(message: ControlMessage): void;
  /** Resolves when the session has stopped running freely. */
  idle(): Promise<void>;
  report(error: unknown): void;
}
