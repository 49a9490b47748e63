/**
 * The one promise that all fuzzers hold the project to: whatever is given runs, or is refused with a sentence. No stack
 * trace, no words of a library, no message that fills the screen, no hang.
 */
import { LockstepError } from '../src/base/errors';

/** A case takes milliseconds, or seconds where it trains; two minutes is a hang even on a machine under load. */
const HANG_MS = 120_000;
const LONGEST_MESSAGE = 2100;
/** Words of valibot, of V8 and of our own invariants. */
const FOREIGN =
  /Invalid (type|value|key)\b|Expected .* but received|\bundefined\b|is not a function|Cannot read prop|invariant violated|^missing: |\n\s+at /;

/** What came of it; `refused` is undefined where it ran. Throws where the promise is broken. */
export async function keepsPromise<T>(act: () => T | Promise<T>): Promise<{ result?: T; refused?: LockstepError }> {
  const began = performance.now();
  try {
    const result = await act();
    checkTime(began);
    return { result };
  } catch (error) {
    if (!(error instanceof LockstepError)) throw error;
    checkTime(began);
    checkSentence(`${error.message} ${error.hint}`);
    if (error.code === 'internal') throw error;
    return { refused: error };
  }
}

function checkTime(began: number): void {
  const seconds = (performance.now() - began) / 1000;
  if (seconds > HANG_MS / 1000) throw new Error(`a hang: it took ${seconds.toFixed(0)} s`);
}

export function checkSentence(text: string): void {
  if (text.trim().length < 10) throw new Error(`no sentence: ${JSON.stringify(text)}`);
  if (text.length > 2 * LONGEST_MESSAGE)
    throw new Error(`a message of ${text.length} characters: ${text.slice(0, 200)}`);
  // What the user wrote is in quotes; the words around it are ours.
  if (FOREIGN.test(text.replace(/"[^"]*"/g, '""'))) throw new Error(`not our words: ${text}`);
}
