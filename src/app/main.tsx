/** Builds the page: store, frames, walker, controller, address bar; then React. The only place where they are made. */
import { createRoot } from 'react-dom/client';
import { must } from '../base/invariant';
import { markFailedStyles } from './boundary/failed-styles';
import { listenForErrors } from './boundary/listen-for-errors';
import { LastResort, RootBoundary } from './boundary/root-boundary';
import { parsePermalink } from './permalink/permalink';
import { AppView } from './shell/app';
import { beAGoodGuest } from './shell/embed';
import { listenToKeys } from './shell/keys';
import { createController } from './state/controller';
import { startSession } from './state/session-client';
import { createAppStore } from './state/store';
import { createFrames } from './transport/frames';
import { DEFAULT_SPEED } from './transport/speeds';
import './shell/theme.css';
import './shell/page.css';
import { createUrlSync, type UrlSync } from './permalink/url-sync';
import { AppProvider } from './state/use-app';
import { createWindowApi } from './state/window-api';
import { createWalker } from './transport/walker';

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
