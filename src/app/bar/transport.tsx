/** Play, pause and the steps. The icons are drawn here; their names are what tests and screen readers go by. */
import { useApp, useController } from '../state/use-app';
import styles from './transport.module.css';

const ICONS = {
  back: 'M11 3 4 8l7 5zM2.6 3h1.6v10H2.6z',
  play: 'M4 2.5 13 8l-9 5.5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  event: 'M5 3l7 5-7 5zM11.8 3h1.6v10h-1.6z',
  phase: 'M2 3l5.5 5L2 13zM8 3l5.5 5L8 13z',
  iteration: 'M1.5 3.5 6 8l-4.5 4.5zM6.5 3.5 11 8l-4.5 4.5zM12 3.5h1.7v9H12z',
  reset: 'M8 3a5 5 0 1 1-4.9 6h1.6A3.5 3.5 0 1 0 8 4.5V7L4 4l4-3z',
} as const;

export function Transport({ disabled }: { disabled: boolean }) {
  const state = useApp((app) => app.state);
  const { player, reset, restart } = useController();
  const playing = state === 'playing';
  const busy = disabled || state === 'loading';
  const off = busy || state === 'failed';
  return (
    <fieldset aria-label="Transport" className={styles['transport']}>
      <Button name="Step back" keys="," icon="back" disabled={off} onClick={player.stepBack} />
      {playing ? (
        <Button name="Pause" keys="Space" icon="pause" main disabled={off} onClick={player.pause} />
      ) : (
        <Button name="Play" keys="Space" icon="play" main disabled={off} onClick={player.play} />
      )}
      <Button name="Step event" keys="." icon="event" disabled={off} onClick={player.stepEvent} />
      <Button name="Step phase" keys="Shift ," icon="phase" disabled={off} onClick={player.stepPhase} />
      <Button name="Step iteration" keys="Shift ." icon="iteration" disabled={off} onClick={player.stepIteration} />
      <Button name="Reset" keys="r" icon="reset" disabled={busy} onClick={state === 'failed' ? restart : reset} />
    </fieldset>
  );
}

interface ButtonProps {
  readonly name: string;
  readonly keys: string;
  readonly icon: keyof typeof ICONS;
  readonly main?: boolean;
  readonly disabled: boolean;
  readonly onClick: () => unknown;
}

function Button({ name, keys, icon, main = false, disabled, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      className={main ? styles['main'] : styles['step']}
      aria-label={name}
      title={`${name} (${keys})`}
      disabled={disabled}
      onClick={() => void onClick()}
    >
      <svg viewBox="0 0 16 16" width={14} height={14} aria-hidden="true">
        <path d={ICONS[icon]} fill="currentColor" />
      </svg>
    </button>
  );
}
