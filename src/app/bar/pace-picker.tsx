/**
 * Shows the speed of Play: eight bars, the factor, and a note while each step is twice as fast as the previous one. The
 * bars are a list in which the user chooses a pace, which Play then keeps; the button beside them holds the current
 * pace, or lets Play speed up again.
 */
import { formatRate } from '../draw/format';
import { atFullSpeed, factorOf, runsFree, SPEEDS, secondsPerStep, secondsToFull, speedAt, speedOf } from '../pace/pace';
import { useController } from '../run/use-controller';
import { useApp, useSettled } from '../state/use-app';
import { momentsShown, runsFreely } from '../transport/positions';
import styles from './pace-picker.module.css';

const SPEEDING_UP = 'up';

export function PacePicker({ disabled }: { disabled: boolean }) {
  const speed = useApp(({ pace }) => speedOf(pace));
  const held = useApp(({ pace }) => pace.held);
  const toFull = useApp(({ pace }) => secondsToFull(pace));
  const free = useApp(({ pace }) => runsFree(pace));
  const controller = useController();
  return (
    <fieldset className={styles['pace']} aria-label="Pace" disabled={disabled}>
      <label className={styles['bars']} title="Choose a pace (+ and −)">
        {SPEEDS.map(({ label }, index) => (
          <i key={label} data-on={index <= speed || undefined} style={{ height: `${3 + 2.3 * index}px` }} />
        ))}
        <select
          aria-label="Speed"
          value={held ? speed : SPEEDING_UP}
          onChange={({ target }) =>
            controller.setSpeed(target.value === SPEEDING_UP ? undefined : Number(target.value))
          }
        >
          <option value={SPEEDING_UP}>first step slow, then doubling</option>
          {SPEEDS.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div className={styles['words']}>
        <Now />
        <span>
          {toFull !== undefined && (
            <i title={`Each step takes half as long as the one before; full speed is about ${toFull} s away`}>
              {free ? `full speed in ${toFull} s` : '×2 each step'} ·{' '}
            </i>
          )}
          <Hold />
        </span>
      </div>
    </fieldset>
  );
}

/** On a phone, the pace in one line; the list is in the sheet of settings. */
export function PaceLine({ disabled }: { disabled: boolean }) {
  return (
    <fieldset className={styles['line']} aria-label="Pace" disabled={disabled}>
      <Now /> <Hold />
    </fieldset>
  );
}

/** The pace in words. */
function Now() {
  const [text, title] = useSettled(({ pace, ...app }) => {
    const moments = momentsShown(app);
    const factor = factorOf(pace, moments);
    const then = pace.held ? 'held' : 'speeding up';
    // On the way to where a link leads, training runs at full speed whatever the pace is.
    if (app.goingTo !== undefined) return ['full speed', ''] as const;
    if (factor === undefined)
      return [atFullSpeed(pace) ? 'full speed' : `${speedAt(pace).label}, ${then}`, ''] as const;
    const seconds = Number(secondsPerStep(pace, moments).toPrecision(2));
    return [
      `×${Number(factor.toPrecision(1))}, ${then}`,
      `A step takes ${seconds} s. ×1 is five steps per second, the fastest pace at which every step is shown`,
    ] as const;
  }, 200);
  return <b title={title}>{text}</b>;
}

/** Holds the pace; at full speed there is nothing to hold, and it says how many steps that is. */
function Hold() {
  const controller = useController();
  const held = useApp(({ pace }) => pace.held);
  const full = useApp(({ pace }) => atFullSpeed(pace));
  const rate = useSettled((app) => (runsFreely(app) ? app.stepsPerSecond : 0), 500);
  if (full) return rate > 0 && `${formatRate(rate)} steps/s`;
  return (
    <button
      type="button"
      title={held ? 'Let the pace double again (h)' : 'Hold this pace (h)'}
      onClick={controller.toggleHold}
    >
      {held ? 'speed up' : 'hold'}
    </button>
  );
}
