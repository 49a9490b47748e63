/** The words shown over a part of the page while files are dragged over it. */
import type { ReactNode } from 'react';
import styles from './drop-sign.module.css';

export const DropSign = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles['sign']}>{children}</div>
);
