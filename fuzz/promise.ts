/**
 * The promise that all fuzzers test: every input either runs or is refused with a sentence. There is no stack trace, no
 * message of a library, no message that fills the screen, no hang, and no more work than the size of the input
 * justifies.
 */
import { LockstepError } from '../src/base/errors';

/** A case takes milliseconds, or seconds if it trains. Two minutes are a hang even on a busy machine. */
const HANG_MS = 120_000;
/**
 * The limit of the work for a case, in seconds of this process's CPU time, which other processes do not slow down.
 * Reading a megabyte takes some tenths of a second; a reader whose work grows with the square of the file's size would
 * exceed the limit a hundred times.
 */
const BASE_WORK_S = 6;
const WORK_S_PER_MEGABYTE = 8;
const LONGEST_MESSAGE = 2100;
/** Words of valibot, of V8, and of our own invariants. */
const FOREIGN =
  /Invalid (type|value|key|array|string)\b|Expected .* but received|\bundefined\b|is not a function|Cannot read prop|Maximum call stack|invariant violated|^missing: |\n\s+at /;

/**
 * The result of a case; `refused` is undefined if the input ran. Throws if the promise is broken. `inputBytes`: the
 * size of the input; absent if the case trains, because then the size says nothing about the work.
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
  // Text from the user is in quotes; the other words are ours.
  if (FOREIGN.test(text.replace(/"[^"]*"/g, '""'))) throw new Error(`not our words: ${text}`);
}
