/** How fast: from an event at a time to as fast as it goes. */

import { useApp, useController } from '../state/use-app';
import { SPEEDS } from '../transport/speeds';
import styles from './bar.module.css';

export function SpeedPicker({ disabled }: { disabled: boolean }) {
  const speed = useApp((app) => app.speed);
  const controller = useController();
  return (
    <select
      className={styles['speed']}
      aria-label="Speed"
      title="Speed (+ and −)"
      value={speed}
      disabled={disabled}
      onChange={(event) => controller.setSpeed(Number(event.target.value))}
    >
      {SPEEDS.map(({ label }, index) => (
        <option key={label} value={index}>
          {label}
        </option>
      ))}
    </select>
  );
}
