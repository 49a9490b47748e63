/** What Keras has no plain counterpart of is refused by its name, not guessed. Called by the files of this folder. */
import { LockstepError } from '../../base/errors';

export const missing = (what: string, why: string): LockstepError =>
  new LockstepError(
    'config',
    `There is no TensorFlow script for this run: Keras has no simple counterpart of ${what}. ${why}`,
    'Change that setting, or use the PyTorch script.',
  );
