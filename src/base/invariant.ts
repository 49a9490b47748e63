/** Small checks that replace `!` and casts: they throw with a sentence instead of letting `undefined` travel on. */
import { LockstepError } from './errors';

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new LockstepError('internal', `invariant violated: ${message}`);
}

/** The value, which must not be undefined or null. */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new LockstepError('internal', `missing: ${what}`);
  return value;
}

/** `list[index]`, which must exist. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const value = list[index];
  if (value === undefined) throw new LockstepError('internal', `index ${index} is outside 0..${list.length - 1}`);
  return value;
}

/** For the default branch of a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new LockstepError('internal', `unexpected value: ${JSON.stringify(value)}`);
}
