/** The content of a file view before a file is open: which files can be dropped, and how to make them. */
import type { ReactNode } from 'react';
import { ScrollRegion } from '../fields/scroll-region';
import styles from './file-view.module.css';

interface FileStartProps {
  readonly lead: string;
  readonly kinds: readonly { readonly name: string; readonly what: string }[];
  /** Python code that makes such a file, with a heading and a name for screen readers. */
  readonly snippet: { readonly heading: string; readonly label: string; readonly code: string };
  /** Ways to open a file. */
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
