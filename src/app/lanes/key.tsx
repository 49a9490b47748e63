/** The legend of lanes: a patch and its meaning for each look. */
import type { ReactNode } from 'react';
import styles from './key.module.css';

/**
 * `hidden`: communication during computation; `exposed`: communication alone; `waits`: waiting for the last rank to
 * join.
 */
export type Look = 'compute' | 'hidden' | 'exposed' | 'waits' | 'idle' | 'filling';

interface KeyProps {
  readonly entries: readonly (readonly [look: Look, words: ReactNode])[];
  readonly className?: string | undefined;
  /** Content before and after the entries. */
  readonly first?: ReactNode;
  readonly last?: ReactNode;
}

export function Key({ entries, className = '', first, last }: KeyProps) {
  return (
    <span className={`${styles['key']} ${className}`}>
      {first}
      {entries.map(([look, words]) => (
        <span key={look}>
          <Patch look={look} />
          <span>{words}</span>
        </span>
      ))}
      {last}
    </span>
  );
}

interface PatchProps {
  readonly look: Look;
  readonly title?: string;
  /** Width of the patch; by default the usual size in a legend. */
  readonly width?: string;
}

export const Patch = ({ look, title, width }: PatchProps) => (
  <i className={styles['look']} data-look={look} title={title} style={width === undefined ? undefined : { width }} />
);
