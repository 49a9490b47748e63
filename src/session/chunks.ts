/**
 * Runs the steps of a playing run between two samples: in chunks of micro-batches, two in flight, each short enough to
 * keep the page responsive, at the user's pace. Called by player.ts.
 */
import { firstOfStep, stepOf } from '../protocol/micro-batches';
import type { SessionEvent } from '../protocol/session-events';
import type { LossRecord } from '../protocol/trace';
import type { ControlComparison } from '../training/control/comparison';
import type { Training } from '../training/training';
import type { Weights } from '../training/weights/weights';

/** How long a chunk of steps should take. */
const CHUNK_MS = 30;
const MOST_PER_CHUNK = 2000;

/** The user's request to a playing run. */
export interface PlayRequest {
  /** 0: as fast as possible. */
  readonly stepsPerSecond: number;
  /** The number of completed micro-batches at which the run pauses by itself. */
  readonly until: number;
}

export interface ChunksOptions {
  readonly training: Training;
  /** Set if the run has a single-device reference. */
  readonly comparison: ControlComparison | undefined;
  readonly emit: (event: SessionEvent) => void;
  /** The current request, read between chunks; undefined: pause. */
  readonly playing: () => PlayRequest | undefined;
}

export interface Chunks {
  /** Waits until the pace allows `count` micro-batches since `since`. */
  pace(count: number, since: number): Promise<void>;
  /**
   * Runs until the deadline, or until only the last micro-batch before a pause or the script's end is left. Returns the
   * micro-batch of the first non-finite loss, if any; nothing is running then.
   */
  runUntil(deadline: number): Promise<number | undefined>;
}

/** Enqueued micro-batches whose losses have not arrived yet. */
interface Flight {
  readonly records: Promise<readonly LossRecord[]>;
  readonly count: number;
  readonly since: number;
  /** The weights after them, if the run is compared with its reference there. */
  readonly weights: Promise<Weights> | undefined;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reports losses; returns the micro-batch of the first non-finite loss. */
export function reportLosses(
  emit: (event: SessionEvent) => void,
  records: readonly LossRecord[],
  stepsPerSecond: number,
): number | undefined {
  emit({ type: 'losses', records, stepsPerSecond });
  return records.find((r) => !Number.isFinite(r.loss))?.microBatch;
}

export function createChunks({ training, comparison, emit, playing }: ChunksOptions): Chunks {
  const { accumulate } = training.blueprint.config;
  let chunk = 1;
  /** Micro-batches until the run pauses by itself, or the script ends. */
  const left = () =>
    Math.min(training.microBatchesLeft, (playing()?.until ?? Number.POSITIVE_INFINITY) - training.microBatch);

  const land = async ({ records, count, since, weights }: Flight): Promise<number | undefined> => {
    const done = await records;
    const bad = reportLosses(emit, done, (1000 * count) / accumulate / Math.max(0.1, performance.now() - since));
    const read = await weights;
    const value = read && comparison?.difference(read);
    if (read && value !== undefined)
      emit({ type: 'difference', difference: { step: stepOf(read.microBatch, { accumulate }), value } });
    return bad;
  };
  /** Stops at the next step at which the run is compared. */
  const launch = (wanted: number): Flight => {
    const since = performance.now();
    const start = training.microBatch;
    const step = comparison?.next(stepOf(start, { accumulate })) ?? Number.POSITIVE_INFINITY;
    const due = firstOfStep(step, { accumulate });
    const count = Math.min(wanted, due - start);
    const records = training.run(count);
    records.catch(() => {});
    const weights = training.microBatch === due ? training.weights() : undefined;
    weights?.catch(() => {});
    return { records, count, since, weights };
  };
  const adjust = (ms: number) => {
    const factor = Math.min(2, Math.max(0.5, CHUNK_MS / Math.max(1, ms)));
    chunk = Math.max(1, Math.min(MOST_PER_CHUNK, Math.round(chunk * factor)));
  };
  /** The worker's event loop must turn between chunks, so that control messages arrive. */
  const pace = async (count: number, since: number): Promise<void> => {
    const perSecond = accumulate * (playing()?.stepsPerSecond ?? 0);
    const dueMs = perSecond > 0 ? since + (1000 * count) / perSecond - performance.now() : 0;
    await pause(Math.max(0, dueMs));
  };

  return {
    pace,
    async runUntil(deadline) {
      let flying: Flight | undefined;
      // The last micro-batch before a pause or the script's end is left for the sample, which the page then shows.
      for (let now = playing(); now && performance.now() < deadline && left() > 1; now = playing()) {
        const perSecond = accumulate * now.stepsPerSecond;
        const paced = perSecond === 0 ? chunk : Math.max(1, Math.min(chunk, Math.floor((perSecond * CHUNK_MS) / 1000)));
        const wanted = Math.min(paced, left() - 1);
        const next = launch(wanted);
        const bad = flying && (await land(flying));
        if (bad !== undefined) {
          // Waits for the steps that follow the bad one, because the search for the cause must not overlap with them.
          await next.records.catch(() => {});
          return bad;
        }
        flying = next;
        // A shortened chunk says little about the time of a full one.
        if (perSecond === 0 && next.count === wanted) adjust(performance.now() - next.since);
        await pace(next.count, next.since);
      }
      return flying && land(flying);
    },
  };
}
