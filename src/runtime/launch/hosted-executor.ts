/** An executor with what a world in this thread needs around it; open-executors.ts makes them. */
import type { LockstepError } from '../../base/errors';
import type { DeviceIndex } from '../../protocol/trace';
import type { Executor } from '../executor';

export interface HostedExecutor {
  readonly executor: Executor;
  readonly devices: readonly DeviceIndex[];
  /** Loses the device behind it (test hook). */
  lose(): void;
  /** For how long it has waited for a message from elsewhere; undefined: it does not wait. */
  waitedMs?(): number | undefined;
  /** Ends its part in the process group: who waits here for a message, or waits for one from here, hears of it. */
  hangUp?(reason: string | LockstepError): void;
  /** Closes what it was given beside the executor: ports, a device of its own. */
  close(): void;
}
