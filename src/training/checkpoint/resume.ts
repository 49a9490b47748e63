/**
 * Brings a fresh training to where a broken one was: back to the checkpoint, then the steps since then once more,
 * with the same batches and masks. Runs are deterministic, so on the same kind of device the bits are those of a run
 * without the loss. Called by supervisor.ts; reports no step.
 */
import type { StepTrace } from '../../protocol/trace';
import type { Training } from '../training';
import type { Checkpoint } from './checkpoint';

/** Micro-batches under way at a time. */
const CHUNK = 50;

interface ResumeOptions {
  /** The last of the micro-batches that run once more is traced, for whoever shows where the run is. */
  readonly look?: boolean;
}

/**
 * `microBatch`: the next one to run. Resolves with the trace that was asked for, if one ran. Rejects when this device
 * is lost, too.
 */
export async function resume(
  training: Training,
  checkpoint: Checkpoint | undefined,
  microBatch: number,
  { look = false }: ResumeOptions = {},
): Promise<StepTrace | undefined> {
  const lost = training.lost.then((error) => {
    throw error;
  });
  const replay = async () => {
    if (checkpoint) await training.restore(checkpoint);
    const blind = look ? microBatch - 1 : microBatch;
    while (training.microBatch < blind) await training.run(Math.min(CHUNK, blind - training.microBatch));
    return training.microBatch < microBatch ? training.trace() : undefined;
  };
  return Promise.race([replay(), lost]);
}
