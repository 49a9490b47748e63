/**
 * The one error class of the project. An error says what is wrong, where, and what to do, in words that a PyTorch user
 * knows. `code` is stable and machine-readable; `details` carries the sizes, names and lines that the message quotes.
 * Errors cross worker borders as plain `WireError` objects and keep code, hint and details.
 */
import { brief } from './brief';

export type ErrorCode =
  | 'config' // a setting is unknown or out of range
  | 'shape' // the model's shapes do not fit
  | 'data' // a data file is malformed, or targets are out of range
  | 'placement' // more devices than layers, a batch smaller than the world...
  | 'schedule' // a pipeline's schedule has no such size, is illegal, or would hang
  | 'memory' // a device is over its budget
  | 'program' // the verifier refused a Program
  | 'not-finite' // a loss became NaN or infinite
  | 'no-webgpu' // navigator.gpu is missing
  | 'no-adapter' // requestAdapter() gave null
  | 'no-torch' // this machine has no PyTorch, or too old a one
  | 'device-lost' // the GPUDevice was lost
  | 'gpu' // a WebGPU validation or internal error
  | 'rank-failed' // a rank's worker died or went silent
  | 'distributed' // a process group is used wrongly, or its ranks disagree
  | 'timeout' // a rank waited for another one for longer than the process group allows
  | 'aborted' // the run was stopped by the user
  | 'not-loaded' // a part of Lockstep could not be fetched
  | 'internal';

export interface WireError {
  readonly lockstepError: true;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const MOST_CHARACTERS = 2000;

export class LockstepError extends Error {
  override readonly name = 'LockstepError';
  readonly hint: string;
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** What the user can do about it; one sentence. */
    hint: string = '',
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    // A quoted file or link must not fill the screen.
    super(brief(message, MOST_CHARACTERS));
    this.hint = brief(hint, MOST_CHARACTERS);
  }
}

export function toWire(error: unknown): WireError {
  if (isWireError(error)) return error;
  if (error instanceof LockstepError) {
    return { lockstepError: true, code: error.code, message: error.message, hint: error.hint, details: error.details };
  }
  const message = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
  return { lockstepError: true, code: 'internal', message, hint: 'This is a bug in Lockstep.', details: {} };
}

export function isWireError(value: unknown): value is WireError {
  return typeof value === 'object' && value !== null && (value as { lockstepError?: unknown }).lockstepError === true;
}

export function fromWire(wire: WireError): LockstepError {
  return new LockstepError(wire.code, wire.message, wire.hint, wire.details);
}

/** Turns anything that was thrown into a LockstepError. */
export const asLockstepError = (error: unknown): LockstepError =>
  error instanceof LockstepError ? error : fromWire(toWire(error));
