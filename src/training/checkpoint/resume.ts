/**
 * Brings a new training to the place of a failed one: it loads the checkpoint, then repeats the steps since then with
 * the same batches and masks. Runs are deterministic, so on the same kind of device the bits equal those of a run
 * without the failure. Called by supervisor.ts; reports no step.
 */
import type { StepTrace } from '../../protocol/trace';
import type { Training } from '../training';
import type { Checkpoint } from './checkpoint';

/** Micro-batches per call of run(). */
const CHUNK = 50;

interface ResumeOptions {
  /** Whether to trace the last repeated micro-batch, so that the page can show where the run is. */
  readonly look?: boolean;
}

/**
 * `microBatch`: the next one to run. Resolves with the requested trace, if a micro-batch ran. Rejects if this device is
 * lost, too.
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
