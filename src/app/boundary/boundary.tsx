/**
 * A fence around one part of the page: an error while it is drawn stays inside, and the part says what happened and can
 * be tried again. Training lives in a worker and does not notice. A part that failed is tried again by itself when
 * another run begins, since its data are others then.
 */
import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { useUrlSync } from '../address/use-address';
import { useApp } from '../state/use-app';
import { Broken, BrokenSmall } from './broken';

interface BoundaryProps {
  /** Begins a sentence: "The timeline". */
  readonly what: string;
  readonly children: ReactNode;
  /** Called before the part is drawn again. */
  readonly onRetry?: () => void;
  /** The part is no larger than a button, and what is in its place must not be, either. */
  readonly small?: boolean;
}

export function Boundary({ what, children, onRetry, small = false }: BoundaryProps) {
  const info = useApp((app) => app.info);
  const urlSync = useUrlSync();
  const reload = () => {
    urlSync.write('here');
    window.location.reload();
  };
  return (
    <ErrorBoundary
      resetKeys={[info]}
      onReset={() => onRetry?.()}
      fallbackRender={({ error, resetErrorBoundary }) =>
        small ? (
          <BrokenSmall what={what} error={error} retry={resetErrorBoundary} />
        ) : (
          <Broken
            what={what}
            error={error}
            retry={resetErrorBoundary}
            reload={reload}
            comfort="The rest of the page works, and training continues."
            ways={
              <a href={urlSync.href()} target="_blank" rel="noreferrer">
                Open these settings in a new tab
              </a>
            }
          />
        )
      }
    >
      {children}
    </ErrorBoundary>
  );
}
