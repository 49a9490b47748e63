/**
 * Starts the service worker that stores the site (service-worker.ts). Tells the user when a newer version than this
 * page's is out, and when the browser has no room to store the site. Loaded by main.tsx once the run is open, so that
 * the first load does not wait for it. If a browser stores nothing (a private window, http), the page works, but only
 * with a connection.
 */
import type { Notice } from '../../protocol/notice';
import type { SiteVersion } from '../boundary/site-version';

export const NEW_VERSION: Notice = {
  level: 'info',
  id: 'new-version',
  text: 'A new version of Lockstep is out.',
  hint: 'This page keeps working. After a reload the same run trains to this step again.',
};

/** The service worker's message to the page, the same as in service-worker.ts. */
const NO_ROOM = 'lockstep-no-room';

export const NOT_STORED: Notice = {
  level: 'info',
  id: 'not-stored',
  text: 'The browser has no room to store Lockstep for use without a connection.',
  hint: 'The page keeps working. Free some space for this site in the settings of the browser, then reload.',
};

export interface Site {
  readonly workers: Pick<ServiceWorkerContainer, 'register' | 'addEventListener'> | undefined;
  readonly script: URL;
  readonly document: Pick<Document, 'addEventListener' | 'visibilityState'>;
  readonly version: () => Promise<SiteVersion>;
  readonly say: (notice: Notice) => void;
}

/** After this time, a page that stays open asks for a new version when it becomes visible again. */
const ASK_AGAIN_MS = 3_600_000;

/** Never rejects. */
export async function keepOffline({ workers, script, document, version, say }: Site): Promise<void> {
  const follow = (worker: ServiceWorker | null) =>
    worker?.addEventListener('statechange', () => {
      if (worker.state !== 'activated') return;
      // A page loaded just now may already be the new version.
      void version().then((found) => {
        if (found === 'newer') say(NEW_VERSION);
      });
    });
  try {
    workers?.addEventListener('message', ({ data }) => {
      if (data === NO_ROOM) say(NOT_STORED);
    });
    const registration = await workers?.register(script);
    // Some browsers are set to allow no service workers and return nothing.
    if (!registration) return;
    follow(registration.installing);
    registration.addEventListener('updatefound', () => follow(registration.installing));
    let asked = performance.now();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible' || performance.now() - asked < ASK_AGAIN_MS) return;
      asked = performance.now();
      registration.update().catch(() => undefined);
    });
  } catch {
    // The page works without a service worker.
  }
}
