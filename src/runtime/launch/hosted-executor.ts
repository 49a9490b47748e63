/** An executor, with the functions that a world in this thread needs beside it; open-executors.ts makes them. */
import type { LockstepError } from '../../base/errors';
import type { DeviceIndex } from '../../protocol/trace';
import type { Executor } from '../executor';

export interface HostedExecutor {
  readonly executor: Executor;
  readonly devices: readonly DeviceIndex[];
  /** Loses the device behind it (test hook). */
  lose(): void;
  /** How long it has waited for a message from another executor; undefined: it does not wait. */
  waitedMs?(): number | undefined;
  /** Leaves the process group: receives that wait here, or wait for a message from here, fail. */
  hangUp?(reason: string | LockstepError): void;
  /** Closes the resources beside the executor: ports, its own device. */
  close(): void;
}
