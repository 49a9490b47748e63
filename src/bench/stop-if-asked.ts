/**
 * Lets a long measurement stop at Ctrl+C. The CPU device computes in promises only, so without a pause the process
 * would handle no signal until the measurement has ended.
 */
import { LockstepError } from '../base/errors';

/** Handles pending signals. Throws an error of code `aborted` if one of them has stopped the measurement. */
export async function stopIfAsked(signal: AbortSignal | undefined, words: string): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (signal?.aborted) throw new LockstepError('aborted', words);
}
