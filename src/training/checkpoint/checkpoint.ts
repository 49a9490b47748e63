/**
 * The state of a run between two micro-batches, in memory: what a restart goes on from, and what the files of a
 * checkpoint hold. Made and taken by run-state.ts.
 */
import type { BatchState } from '../../data/batch-source';
import type { BufferValue } from '../world-state';

/** Everything that a later step depends on. */
export interface Checkpoint {
  /** The next one to run. */
  readonly microBatch: number;
  readonly values: readonly BufferValue[];
  readonly reference: readonly BufferValue[];
  /** Order of batches and generators there. */
  readonly batches: BatchState;
}
