/** Sentences and errors of a headless run: why it cannot begin, why it stopped, how it differs from the request. */
import { LockstepError } from '../base/errors';
import { refusedSettings } from '../base/refused-settings';
import type { Config } from '../protocol/config';
import { stepOf, stepWords } from '../protocol/micro-batches';
import type { Notice } from '../protocol/notice';
import type { PlannedFault } from '../training/failures/fault-plan';
import { describeNotFinite, findNotFinite } from '../training/find-not-finite';
import type { Training } from '../training/training';

export const neverCame = (
  { what, rank, step }: Pick<PlannedFault, 'what' | 'rank' | 'step'>,
  from: number,
  end: number,
): Notice => ({
  level: 'warning',
  id: 'fault-never',
  text: `The ${what} of rank ${rank} planned for step ${step} never came: this run had the steps ${from} to ${end - 1}.`,
  hint: 'Steps are counted from 0, those before a checkpoint included.',
});

export const nothingLeft = (start: number, total: number, config: Config): LockstepError =>
  new LockstepError(
    'config',
    `The checkpoint was saved before ${stepWords(start, config)}, but the run has only ${stepOf(total, config)} steps: no step is left to run.`,
    '"steps" counts from the start of training, not from the checkpoint.',
    { step: stepOf(start, config), total: stepOf(total, config) },
  );

/** If the settings count epochs, these may have fewer micro-batches than one step needs. */
export const noWholeStep = (total: number, { epochs, accumulate, batchSize }: Config): LockstepError =>
  refusedSettings({
    settings: { epochs, accumulate, batchSize },
    why: `the run has only ${total} ${total === 1 ? 'micro-batch' : 'micro-batches'}, but one step takes ${accumulate}`,
    hint: 'Train more epochs, or make accumulate or the batch smaller.',
  });

export const notFinite = (message: string, microBatch: number, config: Config): LockstepError =>
  new LockstepError('not-finite', message, 'Lower the learning rate, or check the data for extreme values.', {
    step: stepOf(microBatch, config),
    microBatch,
  });

/** Adds to the error where the problem began, found by repeating the steps; unchanged if that fails. */
export async function explained(training: Training, error: LockstepError): Promise<LockstepError> {
  const microBatch = Number(error.details['microBatch']);
  const { config } = training.blueprint;
  try {
    const found = await findNotFinite(training, microBatch, undefined);
    if (!found.event) return error;
    return notFinite(`${error.message} ${describeNotFinite(found, config)}`, microBatch, config);
  } catch {
    return error;
  }
}
