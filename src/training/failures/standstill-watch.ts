/**
 * Checks regularly whether a running step waits for a rank, and reports it: a hang is visible from its first second,
 * not only when the process group times out. Costs nothing while steps finish. One per run on the page; running.ts owns
 * it.
 */
import { within } from '../../base/within';
import type { Standstill } from '../../protocol/session-events';
import type { Blueprint } from '../blueprint';
import type { Training } from '../training';
import { FAILURE_WORDS } from './failure-words-part';

const EVERY_MS = 250;
/** Ranks wait for each other in every step, but not for this long. */
const NOTABLE_MS = 500;
/**
 * Ranks in workers have so long to say where they are. On a busy machine a rank that sleeps answers late, so a look
 * that has found no rank waiting gives twice as long to the next one, up to the second number.
 */
const [ANSWER_MS, MOST_MS] = [300, 5000];
/** The watch does not wait longer for the words about failures. */
const LOADING_MS = 1000;

export interface StandstillWatch {
  end(): void;
}

export interface WatchOptions {
  readonly blueprint: Blueprint;
  readonly training: () => Training;
  /** Number of completed micro-batches. */
  readonly microBatch: () => number;
  /** `stuck`: ranks wait, also if the words about failures cannot be loaded and `standstill` is therefore missing. */
  readonly say: (standstill: Standstill | undefined, stuck: boolean) => void;
}

export function watchStandstill({ blueprint, training, microBatch, say }: WatchOptions): StandstillWatch {
  let said = false;
  let looking = false;
  let patienceMs = ANSWER_MS;
  const tell = (standstill: Standstill | undefined, stuck = standstill !== undefined) => {
    if (stuck || said) say(standstill, stuck);
    said = stuck;
  };
  const look = async () => {
    const watched = training();
    const since = watched.busySinceMs;
    if (since === undefined || performance.now() - since < NOTABLE_MS) {
      patienceMs = ANSWER_MS;
      return tell(undefined);
    }
    await within(
      LOADING_MS,
      FAILURE_WORDS.load().catch(() => undefined),
    );
    const words = FAILURE_WORDS.now();
    const positions = await watched.positions(patienceMs);
    const stands = positions.some(({ waitedMs = 0 }) => waitedMs >= NOTABLE_MS);
    if (!stands) patienceMs = Math.min(2 * patienceMs, MOST_MS);
    // A step that finished in the meantime was not a standstill.
    if (training() !== watched || watched.busySinceMs !== since) return tell(undefined);
    if (words) tell(words.standstillOf(blueprint, positions, microBatch(), NOTABLE_MS));
    else tell(undefined, stands);
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, EVERY_MS);
  return { end: () => clearInterval(timer) };
}
