/** The error of every call after dispose(). */
import { LockstepError } from '../base/errors';

export const disposedError = (): LockstepError => new LockstepError('aborted', 'This executor has been disposed.');
