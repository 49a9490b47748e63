/** Which parallelism: a segmented group of radios. A change keeps the seed, the data and the initial weights. */
import { useRef } from 'react';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { type ModeChanges, switchMode } from '../edit/mode-changes';
import { same } from '../model/families';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './mode-picker.module.css';

export function ModePicker({ disabled }: { disabled: boolean }) {
  const config = useApp((app) => app.config);
  const read = useApp((app) => app.info);
  const controller = useController();
  const changes = useRef<ModeChanges>([]);
  const choose = (mode: Config['mode']) => {
    const rows = read && same(read.config.data, config.data) ? read.dataset.rows - read.dataset.testRows : undefined;
    const next = switchMode(config, mode, { changes: changes.current, rows });
    changes.current = next.changes;
    controller.apply(next.config);
  };
  return (
    <div role="radiogroup" aria-label="Parallel mode" className={styles['group']}>
      {Object.values(FACES).map(({ name, title, short, tight = short, about }) => (
        <label key={name} title={about}>
          <input
            type="radio"
            name="mode"
            aria-label={title}
            checked={config.mode === name}
            disabled={disabled}
            onChange={() => choose(name)}
          />
          <span aria-hidden>
            <i className={styles['short']}>{short}</i>
            <i className={styles['tight']}>{tight}</i>
          </span>
        </label>
      ))}
    </div>
  );
}
