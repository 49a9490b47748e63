/**
 * Starts the service worker that keeps the site (service-worker.ts), and says when a newer version than this page's is
 * out. Loaded by main.tsx once the run is open, so that it takes nothing from the first load. A browser that keeps
 * nothing for this page (a private window, a full disk, http) is no worse off than without.
 */
import type { Notice } from '../../protocol/notice';
import type { SiteVersion } from '../boundary/site-version';

export const NEW_VERSION: Notice = {
  level: 'info',
  id: 'new-version',
  text: 'A new version of Lockstep is out.',
  hint: 'Reload the page to take it: the settings stay, training begins again.',
};

export interface Site {
  readonly workers: Pick<ServiceWorkerContainer, 'register'> | undefined;
  readonly script: URL;
  readonly document: Pick<Document, 'addEventListener' | 'visibilityState'>;
  readonly version: () => Promise<SiteVersion>;
  readonly say: (notice: Notice) => void;
}

/** A page that stays open asks for a new version when it is looked at again, after so long. */
const ASK_AGAIN_MS = 3_600_000;

/** Never rejects. */
export async function keepOffline({ workers, script, document, version, say }: Site): Promise<void> {
  const follow = (worker: ServiceWorker | null) =>
    worker?.addEventListener('statechange', () => {
      if (worker.state !== 'activated') return;
      // A page that was loaded just now may be of the new version itself.
      void version().then((found) => {
        if (found === 'newer') say(NEW_VERSION);
      });
    });
  try {
    const registration = await workers?.register(script);
    // Nothing comes back where a browser is set to have none.
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
    // It works without.
  }
}
