/** A line for first-time visitors about what the stage shows. It is gone when closed, and at the next visit. */
import { FACES } from '../../parallel/faces';
import { useApp } from '../state/use-app';
import styles from './newcomer-line.module.css';

export function NewcomerLine() {
  const shown = useApp((app) => app.newcomer);
  const setNewcomer = useApp((app) => app.setNewcomer);
  const seen = useApp(({ config }) => FACES[config.mode].seen(config.worldSize));
  if (!shown) return null;
  return (
    <div role="note" aria-label="What you see" className={styles['line']}>
      <span>
        <b>What you see:</b> {seen}
      </span>
      <button type="button" aria-label="Close this line" onClick={() => setNewcomer(false)}>
        ×
      </button>
    </div>
  );
}
