/**
 * The state of a run between two micro-batches, in memory: a restart continues from it, and the files of a checkpoint
 * hold it. run-state.ts makes and restores it.
 */
import type { BatchState } from '../../data/batch-source';
import type { BufferValue } from '../world-state';

/** Everything that a later step depends on. */
export interface Checkpoint {
  /** The next micro-batch to run. */
  readonly microBatch: number;
  readonly values: readonly BufferValue[];
  readonly reference: readonly BufferValue[];
  /** The order of batches and the generators at that micro-batch. */
  readonly batches: BatchState;
}
