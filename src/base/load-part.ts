/**
 * Loads a part of Lockstep that is fetched when it is first needed. The part may not come: the visitor is offline, or
 * the site was replaced since the page was opened and its files have new names. The error then tells the user what to
 * do; it is not a bug. lint/parts.grit requires loadPart() or a similar function around every import().
 */
import { LockstepError } from './errors';

/** `what` begins a sentence: "The loss chart". */
export async function loadPart<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new LockstepError(
      'not-loaded',
      `${what} could not be fetched.`,
      'Check the connection and try again; if the site has been updated, reload the page.',
      { reason: error instanceof Error ? error.message : String(error) },
    );
  }
}
