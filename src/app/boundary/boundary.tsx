/**
 * An error boundary around one part of the page: a rendering error affects only this part, which shows the error and a
 * button to try again. Training continues in its worker. When another run begins, with other data, a failed part is
 * rendered again automatically.
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
  /** The part is no larger than a button, so its error must not be, either. */
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
