/**
 * The notices on the page: the next start removes the session's notices; a dismissed notice does not come back with the
 * same words, except errors. The controller adds notices.
 */
import { brief } from '../../base/brief';
import { fromWire, isWireError, LockstepError } from '../../base/errors';
import type { Notice } from '../../protocol/notice';
import type { AppStore } from '../state/store';

export interface NoticeBoard {
  say(notice: Notice): void;
  /** Adds a notice that stays until the next start. */
  sayOfRun(notice: Notice): void;
  dismiss(notice: Notice): void;
  /** A new run has begun. */
  clearRun(): void;
}

/** A session in the same thread, as in a lesson's recorder, throws errors in the form that a worker would send. */
export function noticeOf(thrown: unknown): Notice {
  const error = isWireError(thrown) ? fromWire(thrown) : thrown;
  const known = error instanceof LockstepError;
  const text = brief(error instanceof Error ? error.message : String(error), 2000);
  return { level: 'error', id: known ? error.code : 'internal', text, hint: known ? error.hint : '' };
}

/** A notice for an error outside all calls: the page keeps working, but parts of it may fail. */
export function strayNotice(error: unknown): Notice {
  const { text } = noticeOf(error);
  const [line = ''] = text.split('\n');
  return {
    level: 'error',
    id: 'stray',
    text: `Something went wrong outside the run: ${line.slice(0, 300)}`,
    hint: 'This is a bug in Lockstep. Training continues. If the page looks wrong, reload it: the address keeps the settings.',
  };
}

export function createNoticeBoard(store: AppStore): NoticeBoard {
  const dismissed = new Set<string>();
  const ofRun = new Set<string>();
  const words = ({ id, text }: Notice) => `${id} ${text}`;

  const say = (notice: Notice) => {
    if (notice.level === 'error' || !dismissed.has(words(notice))) store.getState().addNotice(notice);
  };
  return {
    say,
    sayOfRun(notice) {
      ofRun.add(notice.id);
      say(notice);
    },
    dismiss(notice) {
      dismissed.add(words(notice));
      store.getState().dismissNotice(notice.id);
    },
    clearRun() {
      for (const id of ofRun) store.getState().dismissNotice(id);
      ofRun.clear();
    },
  };
}
