/** What every executor says to a call that comes after dispose(). */
import { LockstepError } from '../base/errors';

export const disposedError = (): LockstepError => new LockstepError('aborted', 'This executor has been disposed.');
