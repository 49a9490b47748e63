/**
 * Shows errors that occur outside React and outside all awaited calls: in handlers and timers, and unhandled
 * rejections. Otherwise they would appear only in the console, where no user looks. Called once by main.tsx.
 */
import { isWireError, LockstepError } from '../../base/errors';
import type { Notice } from '../../protocol/notice';
import { strayNotice } from '../run/notice-board';

export function listenForErrors(target: EventTarget, say: (notice: Notice) => void): void {
  target.addEventListener('error', (event) => {
    // Events without an error object are harmless: a ResizeObserver loop, or a script of another origin.
    const error: unknown = Reflect.get(event, 'error');
    if (error !== undefined && error !== null) tell(error);
  });
  target.addEventListener('unhandledrejection', (event) => tell(Reflect.get(event, 'reason')));

  const tell = (error: unknown) => {
    if (!isForeign(error)) say(strayNotice(error));
  };
}

function isForeign(error: unknown): boolean {
  // Rejections of window.lockstep belong to the calling script; a cancelled call is not an error.
  if (isWireError(error) || (error instanceof LockstepError && error.code === 'aborted')) return true;
  return error instanceof Error && /\b(chrome|moz|safari-web)-extension:/.test(error.stack ?? '');
}
