/**
 * The outermost error boundary: shows errors that no other boundary caught, and offers to reload with the same
 * settings. Uses no context, because a context may be what failed.
 */
import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import styles from './boundary.module.css';
import { Broken } from './broken';

/** `href`: returns the link to the page's state. */
export function RootBoundary({ href, children }: { href: () => string; children: ReactNode }) {
  return (
    <ErrorBoundary
      fallbackRender={({ error, resetErrorBoundary }) => (
        <LastResort
          error={error}
          href={href()}
          retry={resetErrorBoundary}
          comfort="Training continues in the background. “Try again” redraws the page."
        />
      )}
    >
      {children}
    </ErrorBoundary>
  );
}

interface LastResortProps {
  readonly error: unknown;
  readonly href: string;
  readonly retry: () => void;
  readonly comfort: string;
}

/** The whole page, when nothing else of it is left. main.tsx shows it, too, when the page could not be built. */
export function LastResort({ error, href, retry, comfort }: LastResortProps) {
  const reload = () => {
    window.history.replaceState(null, '', href);
    window.location.reload();
  };
  return (
    <main className={styles['alone']}>
      <h1>Lockstep</h1>
      <Broken
        what="The page"
        error={error}
        retry={retry}
        reload={reload}
        comfort={comfort}
        ways={
          <>
            <a
              href={href}
              onClick={(event) => {
                // The address may be the current one, which a plain link would not reload.
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                reload();
              }}
            >
              Reload the page with these settings
            </a>
            <a href={window.location.pathname}>Start with the default settings</a>
          </>
        }
      />
    </main>
  );
}
