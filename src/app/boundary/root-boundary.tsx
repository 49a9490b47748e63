/**
 * The last fence: where an error passes every other one, the page says so and offers the same settings anew. Knows no
 * context, since that may be what failed.
 */
import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import styles from './boundary.module.css';
import { Broken } from './broken';

/** `href` is the link to what the page shows. */
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
                // The address may be the one that is open already, which a link alone would not load again.
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
