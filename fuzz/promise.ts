/**
 * The one promise that all fuzzers hold the project to: whatever is given runs, or is refused with a sentence. No stack
 * trace, no words of a library, no message that fills the screen, no hang, and no more work than the size of the input
 * accounts for.
 */
import { LockstepError } from '../src/base/errors';

/** A case takes milliseconds, or seconds where it trains; two minutes is a hang even on a machine under load. */
const HANG_MS = 120_000;
/**
 * Work that a case may do, in seconds of this process's CPU, which other processes do not slow down. Reading a megabyte
 * takes some tenths of a second; a reader whose work grows with the square of a file is a hundred times over the bound.
 */
const BASE_WORK_S = 6;
const WORK_S_PER_MEGABYTE = 8;
const LONGEST_MESSAGE = 2100;
/** Words of valibot, of V8 and of our own invariants. */
const FOREIGN =
  /Invalid (type|value|key|array|string)\b|Expected .* but received|\bundefined\b|is not a function|Cannot read prop|Maximum call stack|invariant violated|^missing: |\n\s+at /;

/**
 * What came of it; `refused` is undefined where it ran. Throws where the promise is broken. `inputBytes`: the size of
 * what is read; absent where a case trains and its size says nothing.
 */
export async function keepsPromise<T>(
  act: () => T | Promise<T>,
  inputBytes?: number,
): Promise<{ result?: T; refused?: LockstepError }> {
  const began = { ms: performance.now(), cpu: process.cpuUsage() };
  try {
    const result = await act();
    checkTime(began, inputBytes);
    return { result };
  } catch (error) {
    if (!(error instanceof LockstepError)) throw error;
    checkTime(began, inputBytes);
    checkSentence(`${error.message} ${error.hint}`);
    if (error.code === 'internal') throw error;
    return { refused: error };
  }
}

function checkTime({ ms, cpu }: { ms: number; cpu: NodeJS.CpuUsage }, inputBytes: number | undefined): void {
  const seconds = (performance.now() - ms) / 1000;
  if (seconds > HANG_MS / 1000) throw new Error(`a hang: it took ${seconds.toFixed(0)} s`);
  if (inputBytes === undefined) return;
  const { user, system } = process.cpuUsage(cpu);
  const worked = (user + system) / 1e6;
  const most = BASE_WORK_S + (WORK_S_PER_MEGABYTE * inputBytes) / 1e6;
  if (worked > most)
    throw new Error(`too much work: ${worked.toFixed(1)} s of CPU for ${inputBytes} bytes, at most ${most.toFixed(1)}`);
}

export function checkSentence(text: string): void {
  if (text.trim().length < 10) throw new Error(`no sentence: ${JSON.stringify(text)}`);
  if (text.length > 2 * LONGEST_MESSAGE)
    throw new Error(`a message of ${text.length} characters: ${text.slice(0, 200)}`);
  // What the user wrote is in quotes; the words around it are ours.
  if (FOREIGN.test(text.replace(/"[^"]*"/g, '""'))) throw new Error(`not our words: ${text}`);
}
