/** Which parallelism: a segmented group of radios. The seed, the data and the start stay when it changes. */
import { FACES } from '../../parallel/faces';
import { withMode } from '../edit/edit-config';
import { useApp, useController } from '../state/use-app';
import styles from './mode-picker.module.css';

export function ModePicker({ disabled }: { disabled: boolean }) {
  const config = useApp((app) => app.config);
  const controller = useController();
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
            onChange={() => controller.apply(withMode(config, name))}
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
