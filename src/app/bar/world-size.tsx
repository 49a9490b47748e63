/**
 * A slider for the number of devices, from 1 to the limit. The value applies on release, or at each key. In a mode with
 * one device the slider stands at 1 and cannot be moved; the next mode takes the number that was set before.
 */
import { useEffect, useState } from 'react';
import { FACES } from '../../parallel/faces';
import { LIMITS } from '../../protocol/config';
import { withWorldSize } from '../edit/edit-config';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './bar.module.css';

export function WorldSize({ disabled }: { disabled: boolean }) {
  const config = useApp((app) => app.config);
  const controller = useController();
  const [draft, setDraft] = useState(config.worldSize);
  useEffect(() => {
    setDraft(config.worldSize);
  }, [config.worldSize]);
  const single = FACES[config.mode].oneDevice;
  const shown = single ? 1 : draft;
  const choose = (worldSize: number) => {
    setDraft(worldSize);
    const edit = withWorldSize(config, worldSize);
    if (edit.ok && worldSize !== config.worldSize) controller.apply(edit.config);
  };
  return (
    <label
      className={styles['world']}
      title={single ? 'Single uses one device. Choose another mode to use several.' : 'world_size'}
    >
      <span aria-hidden>ranks</span>
      <input
        type="range"
        aria-label="World size"
        min={1}
        max={LIMITS.worldSize}
        step={1}
        value={shown}
        disabled={disabled || single}
        onChange={(event) => choose(Number(event.target.value))}
      />
      <b aria-hidden>{shown}</b>
    </label>
  );
}
