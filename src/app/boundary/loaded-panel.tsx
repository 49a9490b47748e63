/**
 * A component that is fetched when it is first shown, with a fence of its own: while it comes nothing is drawn, and
 * when it does not come its place says why and tries again when asked to. React.lazy alone would remember the failure
 * for ever and hand it to whoever draws above.
 */
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { useApp } from '../state/use-app';
import { Boundary } from './boundary';
import { awaitStyles, fetchFailedStyles } from './failed-styles';

interface PanelOptions {
  /** No larger than a button: so is what is shown where it does not come. */
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

/** Where the stage does not come, the others do not wait for it any longer. */
const STAGE_FIRST_MS = 1000;

/**
 * As loadedPanel, for what does not keep Play waiting on a slow line: it is fetched when the session has answered, or
 * when the CPU has computed a step before the GPU is ready. The stage, which is what one looks at, is `first`; all
 * others come after it.
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
    // Once it is there it stays, also while another run is loading. In an effect it would begin a frame later.
    if (answered && !waits && !due) setDue(true);
    useEffect(() => {
      if (!answered || due) return;
      const timer = setTimeout(() => setDue(true), STAGE_FIRST_MS);
      return () => clearTimeout(timer);
    }, [answered, due]);
    return due && <Panel {...props} />;
  };
}
