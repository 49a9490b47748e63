/** What a view of files says before one is open: what can be dropped there, and how one gets it. */
import type { ReactNode } from 'react';
import { ScrollRegion } from '../fields/scroll-region';
import styles from './file-view.module.css';

interface FileStartProps {
  readonly lead: string;
  readonly kinds: readonly { readonly name: string; readonly what: string }[];
  /** How one makes such a file: Python, with a heading and a name for screen readers. */
  readonly snippet: { readonly heading: string; readonly label: string; readonly code: string };
  /** Ways to open one. */
  readonly children?: ReactNode;
}

export function FileStart({ lead, kinds, snippet, children }: FileStartProps) {
  return (
    <div className={styles['start']}>
      <p className={styles['lead']}>{lead}</p>
      <dl className={styles['kinds']}>
        {kinds.map(({ name, what }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      {children}
      <h3>{snippet.heading}</h3>
      <ScrollRegion label={snippet.label} className={styles['code']}>
        <pre>{snippet.code}</pre>
      </ScrollRegion>
    </div>
  );
}
