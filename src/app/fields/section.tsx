/** A named part of the set-up, which a teacher can hide or lock by its name. */
import type { ReactNode } from 'react';
import type { PagePart } from '../permalink/page-parts';
import { useApp } from '../state/use-app';
import styles from './section.module.css';

export function Section({ part, title, children }: { part: PagePart; title: string; children: ReactNode }) {
  const hidden = useApp((app) => app.hide.has(part));
  const locked = useApp((app) => app.lock.has(part) || app.lock.has('setup'));
  if (hidden) return null;
  return (
    <fieldset className={styles['section']} disabled={locked}>
      <legend>
        {title}
        {locked && <span className={styles['locked']}> · locked</span>}
      </legend>
      {children}
    </fieldset>
  );
}
