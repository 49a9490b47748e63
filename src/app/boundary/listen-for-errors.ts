/**
 * What goes wrong on the page outside of React and of every call: errors in handlers and timers, promises that nobody
 * awaits. Without this they end in the console, where no user looks. Called once by main.tsx.
 */
import { isWireError, LockstepError } from '../../base/errors';
import type { Notice } from '../../protocol/notice';
import { strayNotice } from '../run/notice-board';

export function listenForErrors(target: EventTarget, say: (notice: Notice) => void): void {
  target.addEventListener('error', (event) => {
    // Without an error object: a ResizeObserver that comes back in the next frame, or a script of another origin.
    const error: unknown = Reflect.get(event, 'error');
    if (error !== undefined && error !== null) tell(error);
  });
  target.addEventListener('unhandledrejection', (event) => tell(Reflect.get(event, 'reason')));

  const tell = (error: unknown) => {
    if (!isForeign(error)) say(strayNotice(error));
  };
}

function isForeign(error: unknown): boolean {
  // What window.lockstep rejects with belongs to the script that called it; a call that was cancelled is no mishap.
  if (isWireError(error) || (error instanceof LockstepError && error.code === 'aborted')) return true;
  return error instanceof Error && /\b(chrome|moz|safari-web)-extension:/.test(error.stack ?? '');
}
