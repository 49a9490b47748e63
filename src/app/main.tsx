/** Builds the page: store, frames, walker, controller, address bar; then React. The only place where they are made. */
import { createRoot } from 'react-dom/client';
import { must } from '../base/invariant';
import { AppView } from './app';
import { markFailedStyles } from './boundary/failed-styles';
import { listenForErrors } from './boundary/listen-for-errors';
import { LastResort, RootBoundary } from './boundary/root-boundary';
import { createController } from './controller';
import { beAGoodGuest } from './embed';
import { createFrames } from './frames';
import { listenToKeys } from './keys';
import { parsePermalink } from './permalink';
import { startSession } from './session';
import { DEFAULT_SPEED } from './speeds';
import { createAppStore } from './store';
import './theme.css';
import './page.css';
import { createUrlSync, type UrlSync } from './url-sync';
import { AppProvider } from './use-app';
import { createWalker } from './walker';
import { createWindowApi } from './window-api';

const root = must(document.getElementById('root'), '#root');
const react = createRoot(root);

function start(): void {
  const link = parsePermalink(window.location.hash);
  const store = createAppStore(link.config, link.view, DEFAULT_SPEED);
  const frames = createFrames((callback) => requestAnimationFrame(callback));
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const walker = createWalker(store, frames, () => reducedMotion.matches);
  const controller = createController({ store, walker, startSession, onRuns: (origin) => urlSync.runs(origin) });
  listenForErrors(window, controller.say);
  markFailedStyles(document);
  const urlSync: UrlSync = createUrlSync({
    store,
    window,
    initial: link,
    onLink: (next) => controller.apply(next.config, 'link'),
    say: controller.say,
    clear: (id) => store.getState().dismissNotice(id),
  });

  // A figure of the lab in another page trains nothing.
  const labAlone = link.view.embed && link.view.lab !== undefined;
  listenToKeys(window, store, controller);
  react.render(
    <RootBoundary href={urlSync.href}>
      <AppProvider services={{ store, frames, controller, urlSync }}>
        <AppView />
      </AppProvider>
    </RootBoundary>,
  );
  if (link.view.embed) beAGoodGuest(store, controller.player, root);
  window.lockstep = createWindowApi(controller, urlSync.href);
  if (!labAlone) controller.apply(link.config, 'link');
}

try {
  start();
} catch (error) {
  react.render(
    <LastResort
      error={error}
      href={window.location.href}
      retry={() => window.location.reload()}
      comfort="Nothing has run yet. The link to this page may ask for something that Lockstep cannot do."
    />,
  );
  reportError(error);
}
