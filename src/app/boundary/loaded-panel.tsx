/**
 * A component that is fetched when it is first shown, with a fence of its own: while it comes nothing is drawn, and
 * when it does not come its place says why and tries again when asked to. React.lazy alone would remember the failure
 * for ever and hand it to whoever draws above.
 */
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { Boundary } from './boundary';
import { fetchFailedStyles } from './failed-styles';

/** `what` begins a sentence: "The bucket view". */
export function loadedPanel<P extends object>(what: string, load: () => Promise<ComponentType<P>>): ComponentType<P> {
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
      <Boundary what={what} onRetry={retry}>
        <Suspense fallback={null}>
          <Part {...props} />
        </Suspense>
      </Boundary>
    );
  };
}
