/** Settings that a parameter server cannot have together. Called through mode.ts. */
import { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';

export function checkServer({ worldSize, accumulate, parameterServer }: Config): void {
  if (worldSize === 1 || parameterServer.synchronous || accumulate === 1) return;
  throw new LockstepError(
    'config',
    `accumulate: ${accumulate} has no meaning where each worker's gradient is applied by itself.`,
    'Set accumulate to 1, or parameterServer.synchronous to true.',
  );
}
