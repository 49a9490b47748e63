/**
 * Moves the permalink between the store and the address bar. Edits push an entry, so that Back leads to the settings
 * before; edits in quick succession (a slider) share one. A hash from outside (Back, a link, typing) is applied.
 */
import type { Notice } from '../../protocol/notice';
import { same } from '../model/families';
import type { LinkState } from '../permalink/link-state';
import { type Permalink, parseAddress } from '../permalink/permalink';
import type { ViewOptions } from '../permalink/permalink-view';
import { printPermalink } from '../permalink/print-permalink';
import type { AppStore } from '../state/store';

export interface UrlSync {
  /** The link to the run that the page shows now, optionally with another view or state. */
  href(view?: Partial<ViewOptions>, state?: LinkState): string;
  /**
   * Writes the store's settings into the address bar; 'here': replaces the current entry, if Back need not lead to the
   * settings before.
   */
  write(how?: 'here'): void;
  /** A configuration runs: writes an edit into the address; keeps a link as it is, but fills an empty address. */
  runs(origin: 'edit' | 'link'): void;
}

interface UrlSyncOptions {
  readonly store: AppStore;
  readonly window: Window;
  readonly initial: Permalink;
  /** Called when the address changes; `sameRun`: to another moment of the same run. */
  readonly onLink: (link: Permalink, sameRun: boolean) => void;
  readonly clear: (noticeId: string) => void;
  readonly say: (notice: Notice) => void;
}

const SHARED_ENTRY_MS = 1000;

export function createUrlSync({ store, window, initial, onLink, clear, say }: UrlSyncOptions): UrlSync {
  let kept = initial.kept;
  let saidIds: readonly string[] = [];
  let lastPush = Number.NEGATIVE_INFINITY;

  const sayAll = (notices: readonly Notice[]) => {
    for (const id of saidIds) clear(id);
    saidIds = notices.map((notice) => notice.id);
    for (const notice of notices) say(notice);
  };

  const hash = (view?: Partial<ViewOptions>, state?: LinkState) => {
    const app = store.getState();
    return `#${printPermalink(app.config, { ...app, ...view }, kept, state)}`;
  };

  // Setting location.hash by hand fires popstate and hashchange; the second finds nothing new.
  let applied = window.location.hash;
  const read = () => {
    if (window.location.hash === applied) return;
    applied = window.location.hash;
    const link = parseAddress(applied);
    kept = link.kept;
    sayAll(link.notices);
    store.getState().setView(link.view);
    onLink(link, same(link.config, store.getState().config));
  };
  window.addEventListener('popstate', read);
  window.addEventListener('hashchange', read);
  sayAll(initial.notices);

  const write = (how?: 'here') => {
    const next = hash();
    if (next === window.location.hash) return;
    const now = performance.now();
    // The first address of a visit needs no entry for Back.
    const replaces = how === 'here' || now - lastPush < SHARED_ENTRY_MS || window.location.hash === '';
    if (replaces) window.history.replaceState(null, '', next);
    else window.history.pushState(null, '', next);
    if (applied !== '') lastPush = now;
    applied = next;
  };

  return {
    href: (view, state) => new URL(hash(view, state), window.location.href).href,
    write,
    runs(origin) {
      if (origin === 'edit' || window.location.hash === '') write();
    },
  };
}
