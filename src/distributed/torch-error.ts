/** Errors in the words of torch.distributed, with Python's exception class in `details.type`, and a hint. */
import { type ErrorCode, LockstepError } from '../base/errors';

export type PythonType =
  | 'RuntimeError'
  | 'ValueError'
  | 'IndexError'
  | 'AssertionError'
  | 'TimeoutError'
  | 'TypeError'
  /** PyTorch raises nothing: the process dies by a signal. */
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
