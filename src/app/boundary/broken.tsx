/**
 * The replacement for a part of the page that could not be drawn or fetched: the error in words, "Try again", and a
 * link that keeps the settings. It uses no context, because the root boundary also shows it when nothing else is left.
 */
import { type ReactNode, useEffect } from 'react';
import { LockstepError } from '../../base/errors';
import fields from '../fields/fields.module.css';
import styles from './boundary.module.css';
import type { SiteVersion } from './site-version';
import { useSiteVersion } from './use-site-version';

interface BrokenProps {
  /** Begins a sentence: "The timeline". */
  readonly what: string;
  readonly error: unknown;
  readonly retry: () => void;
  /** Other actions besides "Try again". */
  readonly ways: ReactNode;
  /** A sentence about what still works without this part. */
  readonly comfort: string;
  readonly reload: () => void;
}

/** If a part could not be loaded offline, tries again when the connection is back. */
function useRetryOnline(missing: boolean, retry: () => void): void {
  useEffect(() => {
    if (!missing) return;
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [missing, retry]);
}

const isMissing = (error: unknown): boolean => error instanceof LockstepError && error.code === 'not-loaded';

/** The replacement for a button: equally small; a press tries again. */
export function BrokenSmall({ what, error, retry }: Pick<BrokenProps, 'what' | 'error' | 'retry'>) {
  const missing = isMissing(error);
  useRetryOnline(missing, retry);
  const words = missing ? `${what} could not be fetched.` : `${what} could not be drawn. ${wordsOf(error)}`;
  return (
    <button
      type="button"
      className={styles['small']}
      aria-label={`${words} Try again`}
      title={`${words} Try again`}
      onClick={retry}
    >
      !
    </button>
  );
}

export function Broken({ what, error, retry, ways, comfort, reload }: BrokenProps) {
  const missing = isMissing(error);
  const version = useSiteVersion(missing);
  useRetryOnline(missing, retry);
  return (
    <div role="alert" className={styles['broken']}>
      <p>
        <b>{missing ? `${what} could not be fetched.` : `${what} could not be drawn.`}</b>{' '}
        {missing ? VERSION_WORDS[version ?? 'asking'] : wordsOf(error)}
      </p>
      <p className={styles['hint']}>{comfort}</p>
      <div className={styles['ways']}>
        {version === 'newer' && (
          <button type="button" className={fields['button']} onClick={reload}>
            Reload
          </button>
        )}
        <button type="button" className={fields['button']} onClick={retry}>
          Try again
        </button>
        {ways}
      </div>
    </div>
  );
}

const VERSION_WORDS: Readonly<Record<SiteVersion | 'asking', string>> = {
  asking: 'Asking the site for its version.',
  same: 'The site is reachable and has not changed, so another try may work.',
  newer:
    'A new version of Lockstep is out, and the site no longer has the files of the version on this page. Reload to get the new version: the settings stay, training starts again.',
  unknown: 'The site cannot be reached. Check the connection.',
};

function wordsOf(error: unknown): string {
  if (error instanceof LockstepError) return `${error.message} ${error.hint}`.trim();
  const text = error instanceof Error ? error.message : String(error);
  return `This is a bug in Lockstep: ${text.slice(0, 300)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
