/** Settings behind a summary: the content is loaded and drawn when it is first opened. */
import { type ReactNode, useState } from 'react';
import styles from './section.module.css';

export function Opened({ label, children }: { label: string; children: ReactNode }) {
  const [opened, setOpened] = useState(false);
  return (
    <details className={styles['opened']} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{label}</summary>
      {opened && children}
    </details>
  );
}
