/** Builds the page: store, frames, walker, controller, address bar; then React. Only this file makes them. */
import './early';
import { createRoot } from 'react-dom/client';
import { must } from '../base/invariant';
import { loadPart } from '../base/load-part';
import type { Notice } from '../protocol/notice';
import { listenToKeys } from './bar/keys';
import { markFailedStyles } from './boundary/failed-styles';
import { listenForErrors } from './boundary/listen-for-errors';
import { LastResort, RootBoundary } from './boundary/root-boundary';
import { askSiteVersion } from './boundary/site-version';
import { createFrames } from './draw/frames';
import { isFirstVisit } from './notices/first-visit';
import { parseAddress } from './permalink/permalink';
import { createController } from './run/controller';
import { startSession } from './run/session-client';
import { AppView } from './shell/app';
import { type AppStore, createAppStore } from './state/store';
import './draw/theme.css';
import './shell/page.css';
import { createArrival } from './address/arrival';
import { createLinkedViews } from './address/linked-views';
import { createUrlSync, type UrlSync } from './address/url-sync';
import { AppProvider } from './run/app-contexts';
import { createWindowApi } from './run/window-api';
import { createWalker } from './transport/walker';

const root = must(document.getElementById('root'), '#root');
const react = createRoot(root);

function start(): void {
  const link = parseAddress(window.location.hash);
  const store = createAppStore(link.config, link.view);
  const frames = createFrames((callback) => requestAnimationFrame(callback));
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const walker = createWalker(store, frames, () => reducedMotion.matches);
  const linked = createLinkedViews();
  const arrival = createArrival(store, linked);
  arrival.ask(link.state);
  const controller = createController({
    store,
    walker,
    startSession,
    arrival,
    onRuns: (origin) => urlSync.runs(origin),
  });
  listenForErrors(window, controller.say);
  markFailedStyles(document);
  const urlSync: UrlSync = createUrlSync({
    store,
    window,
    initial: link,
    onLink(next, sameRun) {
      arrival.ask(next.state);
      // If only the view has changed, the run continues.
      if (!sameRun) controller.apply(next.config, 'link');
      else if (next.state.at) controller.goToLinked();
    },
    say: controller.say,
    clear: (id) => store.getState().dismissNotice(id),
  });

  store.getState().setNewcomer(!link.view.embed && isFirstVisit(window));
  // An embedded figure of the lab trains nothing.
  const labAlone = link.view.embed && link.view.lab !== undefined;
  listenToKeys(window, store, controller);
  react.render(
    <RootBoundary href={() => urlSync.href()}>
      <AppProvider services={{ store, frames, controller, urlSync, linked }}>
        <AppView />
      </AppProvider>
    </RootBoundary>,
  );
  if (link.view.embed)
    loadPart('What an embed does in its frame', () => import('./shell/framed-page')).then(
      ({ beAGoodGuest }) => beAGoodGuest({ store, controller, root, state: link.state, ask: arrival.ask }),
      () => undefined,
    );
  window.lockstep = createWindowApi(controller, () => urlSync.href());
  if (!labAlone) controller.apply(link.config, 'link');
  if (import.meta.env.PROD && window.top === window) keepSiteOnceOpen(store, controller.say);
}

/** An embed does not store the site; the page that is opened from it does. */
function keepSiteOnceOpen(store: AppStore, say: (notice: Notice) => void): void {
  const stop = store.subscribe(({ state }) => {
    if (state === 'loading') return;
    stop();
    loadPart('What works offline', () => import('./offline/keep-offline')).then(
      ({ keepOffline }) =>
        keepOffline({
          workers: navigator.serviceWorker,
          script: new URL('sw.js', document.baseURI),
          document,
          version: () => askSiteVersion(document),
          say,
        }),
      () => undefined,
    );
  });
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
