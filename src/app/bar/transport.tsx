/** Play, pause and the steps. The icons are drawn here; tests and screen readers use their names. */

import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './transport.module.css';

const ICONS = {
  back: 'M11 3 4 8l7 5zM2.6 3h1.6v10H2.6z',
  play: 'M4 2.5 13 8l-9 5.5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  moment: 'M5 3l7 5-7 5zM11.8 3h1.6v10h-1.6z',
  round: 'M8 2.6a5.4 5.4 0 1 0 5.4 5.4h-1.6A3.8 3.8 0 1 1 8 4.2v2.3l4.2-3.1L8 .3z',
  phaseBack: 'M14 3 8.5 8l5.5 5zM8 3 2.5 8 8 13z',
  phase: 'M2 3l5.5 5L2 13zM8 3l5.5 5L8 13z',
  iteration: 'M1.5 3.5 6 8l-4.5 4.5zM6.5 3.5 11 8l-4.5 4.5zM12 3.5h1.7v9H12z',
  reset: 'M8 3a5 5 0 1 1-4.9 6h1.6A3.5 3.5 0 1 0 8 4.5V7L4 4l4-3z',
} as const;

/** The buttons that a figure needs if the bar is hidden. */
export function SmallTransport() {
  const state = useApp((app) => app.state);
  const shown = useApp(({ hide, lock }) => !hide.has('transport') && !lock.has('transport') && !lock.has('bar'));
  const { player } = useController();
  if (!shown) return null;
  const off = state === 'loading' || state === 'failed';
  return (
    <fieldset aria-label="Transport" className={styles['small']}>
      {state === 'playing' ? (
        <TransportButton name="Pause" keys="Space" icon="pause" main disabled={off} onClick={player.pause} />
      ) : (
        <TransportButton name="Play" keys="Space" icon="play" main disabled={off} onClick={player.play} />
      )}
      <TransportButton
        name="Step moment"
        keys=".; a single event with Alt"
        icon="moment"
        disabled={off}
        onClick={(alone) => player.step(alone ? 'event' : 'moment')}
      />
    </fieldset>
  );
}

export function Transport({ disabled }: { disabled: boolean }) {
  const state = useApp((app) => app.state);
  const { player, reset, restart } = useController();
  const playing = state === 'playing';
  const busy = disabled || state === 'loading';
  const off = busy || state === 'failed';
  // Highlights one button until something has run.
  const inviting = useApp((app) => app.newcomer && app.losses.length <= 1);
  return (
    <fieldset aria-label="Transport" className={styles['transport']}>
      <TransportButton
        name="Back one phase"
        keys="Shift ,"
        icon="phaseBack"
        disabled={off}
        onClick={() => player.stepBack('phase')}
      />
      <TransportButton
        name="Step back"
        keys=",; a single event with Alt"
        icon="back"
        disabled={off}
        onClick={(alone) => player.stepBack(alone ? 'event' : 'moment')}
      />
      {playing ? (
        <TransportButton name="Pause" keys="Space" icon="pause" main disabled={off} onClick={player.pause} />
      ) : (
        <TransportButton
          name="Play"
          keys="Space"
          icon="play"
          main
          inviting={inviting}
          disabled={off}
          onClick={player.play}
        />
      )}
      <TransportButton
        name="Step moment"
        keys=".; a single event with Alt"
        icon="moment"
        disabled={off}
        onClick={(alone) => player.step(alone ? 'event' : 'moment')}
      />
      <TransportButton name="Step round" keys="n" icon="round" disabled={off} onClick={() => player.step('round')} />
      <TransportButton
        name="Step phase"
        keys="Shift ."
        icon="phase"
        disabled={off}
        onClick={() => player.step('phase')}
      />
      <TransportButton name="Step iteration" keys="i" icon="iteration" disabled={off} onClick={player.stepIteration} />
      <TransportButton
        name="Reset"
        keys="r"
        icon="reset"
        disabled={busy}
        onClick={state === 'failed' ? restart : reset}
      />
    </fieldset>
  );
}

interface ButtonProps {
  readonly name: string;
  readonly keys: string;
  readonly icon: keyof typeof ICONS;
  readonly main?: boolean;
  /** Shows the button's name as text and highlights it. */
  readonly inviting?: boolean;
  readonly disabled: boolean;
  /** `alone`: with Alt or Shift held. */
  readonly onClick: (alone: boolean) => unknown;
}

export function TransportButton({ name, keys, icon, main = false, inviting = false, disabled, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      className={main ? styles['main'] : styles['step']}
      aria-label={name}
      title={`${name} (${keys})`}
      disabled={disabled}
      data-inviting={inviting || undefined}
      onClick={(event) => void onClick(event.altKey || event.shiftKey)}
    >
      <svg viewBox="0 0 16 16" width={14} height={14} aria-hidden="true">
        <path d={ICONS[icon]} fill="currentColor" />
      </svg>
      {inviting && name}
    </button>
  );
}
