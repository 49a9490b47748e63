/**
 * Errors of torch.distributed: in its words, with the class that Python would raise in `details.type`, and what to do.
 */
import { type ErrorCode, LockstepError } from '../base/errors';

export type PythonType =
  | 'RuntimeError'
  | 'ValueError'
  | 'IndexError'
  | 'AssertionError'
  | 'TimeoutError'
  | 'TypeError'
  /** Where PyTorch raises nothing: the process dies of a signal. */
  | 'process died';

export function torchError(
  type: PythonType,
  message: string,
  hint = '',
  details: Readonly<Record<string, unknown>> = {},
  code: ErrorCode = 'distributed',
): LockstepError {
  return new LockstepError(code, message, hint, { type, ...details });
}

export const notInitialized = (): LockstepError =>
  torchError(
    'RuntimeError',
    'Default process group has not been initialized, please make sure to call init_process_group.',
    'Call initProcessGroup() first, on every rank.',
  );
