/**
 * A component that is fetched when it is first shown, with its own error boundary: while it loads, nothing is drawn; if
 * it fails to load, its place shows why, with a button to try again. React.lazy alone would keep the failure for ever
 * and throw it to the components above.
 */
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { useApp } from '../state/use-app';
import { Boundary } from './boundary';
import { awaitStyles, fetchFailedStyles } from './failed-styles';

interface PanelOptions {
  /** The panel is no larger than a button, and so is its error. */
  readonly small?: boolean;
}

/** `what` begins a sentence: "The bucket view". */
export function loadedPanel<P extends object>(
  what: string,
  load: () => Promise<ComponentType<P>>,
  { small = false }: PanelOptions = {},
): ComponentType<P> {
  const fetch = async () => {
    await fetchFailedStyles(document);
    const part = await load();
    await awaitStyles(document);
    return part;
  };
  // biome-ignore lint/plugin: the one place where a component is loaded
  const fetched = () => lazy(async () => ({ default: await loadPart(what, fetch) }));
  // Shared by all places that show the panel, so that it is fetched once.
  const shared = { part: fetched() };
  return function LoadedPanel(props: P) {
    const [Part, setPart] = useState(() => shared.part);
    const retry = () => {
      shared.part = fetched();
      setPart(() => shared.part);
    };
    return (
      <Boundary what={what} onRetry={retry} small={small}>
        <Suspense fallback={null}>
          <Part {...props} />
        </Suspense>
      </Boundary>
    );
  };
}

/** The longest time that other panels wait for the stage. */
const STAGE_FIRST_MS = 1000;

/**
 * Like loadedPanel, but does not delay Play on a slow connection: the panel is fetched once the session has answered,
 * or once the CPU has computed a step before the GPU is ready. The stage, as the main view, is `first`; all other
 * panels load after it.
 */
export function laterPanel<P extends object>(
  what: string,
  load: () => Promise<ComponentType<P>>,
  { first = false, ...options }: PanelOptions & { readonly first?: boolean } = {},
): ComponentType<P> {
  const Panel = loadedPanel(what, load, options);
  return function LaterPanel(props: P) {
    const answered = useApp((app) => app.state !== 'loading' || app.traces.length > 0);
    const waits = useApp((app) => !first && app.stageCode === 'coming');
    const [due, setDue] = useState(false);
    // Once fetched, the panel stays, even while another run is loading. An effect would start the fetch a frame later.
    if (answered && !waits && !due) setDue(true);
    useEffect(() => {
      if (!answered || due) return;
      const timer = setTimeout(() => setDue(true), STAGE_FIRST_MS);
      return () => clearTimeout(timer);
    }, [answered, due]);
    return due && <Panel {...props} />;
  };
}
