/**
 * Sends checkpoints to the page from time to time, in case this worker ends and loses everything. Writing costs time,
 * so the next checkpoint is written only when writing takes a small enough share of the time. Called by
 * current-player.ts with every checkpoint of a run.
 */
import { Part } from '../../base/part';
import type { KeptState } from '../../protocol/session-events';
import type { Blueprint } from '../blueprint';
import type { Checkpoint } from './checkpoint';

const EVERY_MS = 1000;
/** The share of the time that may be spent on writing. */
const SHARE = 0.05;

/** Loaded with the first checkpoint, when the run plays; before that there is nothing to lose. */
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
      // The next checkpoint uses the loaded part, or tries to load it again.
      CHECKPOINT_WRITER.load().catch(() => undefined);
      return;
    }
    try {
      hand({ microBatch: checkpoint.microBatch, files: writer.writeCheckpoint(blueprint, checkpoint) });
    } catch {
      // Training continues; a user who saves this state sees why it cannot be written.
      dueMs = Number.POSITIVE_INFINITY;
      return;
    }
    const nowMs = now();
    dueMs = nowMs + Math.max(EVERY_MS, (nowMs - sinceMs) / SHARE);
  };
}
