/** Errors of a call cross the worker wall as wire errors. Called by session.ts and calls-without-run.ts. */
import { toWire } from '../base/errors';

export async function typed<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw toWire(error);
  }
}
