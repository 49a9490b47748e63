/**
 * A component that is fetched when it is first shown, with a fence of its own: while it comes nothing is drawn, and
 * when it does not come its place says why and tries again when asked to. React.lazy alone would remember the failure
 * for ever and hand it to whoever draws above.
 */
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { useApp } from '../state/use-app';
import { Boundary } from './boundary';
import { fetchFailedStyles } from './failed-styles';

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
    return load();
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

/**
 * As loadedPanel, for what lies below the first screen: it is fetched as soon as the session has answered, so that it
 * does not keep Play waiting on a slow line.
 */
export function laterPanel<P extends object>(
  what: string,
  load: () => Promise<ComponentType<P>>,
  options?: PanelOptions,
): ComponentType<P> {
  const Panel = loadedPanel(what, load, options);
  return function LaterPanel(props: P) {
    const answered = useApp((app) => app.state !== 'loading');
    const [due, setDue] = useState(answered);
    useEffect(() => {
      if (answered) setDue(true);
    }, [answered]);
    return due && <Panel {...props} />;
  };
}
