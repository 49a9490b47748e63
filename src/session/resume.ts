/**
 * Brings a fresh training to where a broken one stood: back to the checkpoint, then the steps since then once more, with the same batches and masks. Runs are
 * deterministic, so on the same kind of device the bits are those of a run without the loss. Called by running.ts; reports no step.
 */
import type { Checkpoint } from './checkpoint/checkpoint';
import type { Training } from './training';

/** Micro-batches under way at a time. */
const CHUNK = 50;

/** `microBatch`: the next one to run. Rejects when this device is lost, too. */
export async function resume(
  training: Training,
  checkpoint: Checkpoint | undefined,
  microBatch: number,
): Promise<void> {
  const lost = training.lost.then((error) => {
    throw error;
  });
  const replay = async () => {
    if (checkpoint) await training.restore(checkpoint);
    while (training.microBatch < microBatch) await training.run(Math.min(CHUNK, microBatch - training.microBatch));
  };
  await Promise.race([replay(), lost]);
}
