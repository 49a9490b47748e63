/**
 * Hands checkpoints to the page now and then, for the case that this worker ends by itself and takes everything along.
 * Writing one costs time, so the next is written only when that has been made up for. Called by current-player.ts
 * with every checkpoint of a run.
 */
import { Part } from '../../base/part';
import type { KeptState } from '../../protocol/session-events';
import type { Blueprint } from '../blueprint';
import type { Checkpoint } from './checkpoint';

const EVERY_MS = 1000;
/** The part of the time that may go into writing. */
const SHARE = 0.05;

/** Fetched when the first checkpoint comes, which is when the run plays: until then there is nothing to lose. */
export const CHECKPOINT_WRITER = new Part('The writer of checkpoints', () => import('./checkpoint-file'));
if (!globalThis.LOCKSTEP_SITE) await CHECKPOINT_WRITER.load();

export function keepOutside(
  blueprint: Blueprint,
  hand: (kept: KeptState) => void,
  now: () => number = () => performance.now(),
): (checkpoint: Checkpoint) => void {
  let dueMs = Number.NEGATIVE_INFINITY;
  return (checkpoint) => {
    const sinceMs = now();
    if (sinceMs < dueMs) return;
    const writer = CHECKPOINT_WRITER.now();
    if (!writer) {
      // The next checkpoint finds it, or asks again.
      CHECKPOINT_WRITER.load().catch(() => undefined);
      return;
    }
    try {
      hand({ microBatch: checkpoint.microBatch, files: writer.writeCheckpoint(blueprint, checkpoint) });
    } catch {
      // Training is none the worse for it; whoever saves this state by hand hears why it cannot be written.
      dueMs = Number.POSITIVE_INFINITY;
      return;
    }
    const nowMs = now();
    dueMs = nowMs + Math.max(EVERY_MS, (nowMs - sinceMs) / SHARE);
  };
}
