/** Radio buttons to choose the clock on which lanes over time are drawn. */
import styles from './head.module.css';

interface ClockChoiceProps<Clock extends string> {
  /** For screen readers. */
  readonly legend: string;
  /** Name of the radio group; each choice on the page needs its own. */
  readonly name: string;
  readonly clocks: readonly Clock[];
  readonly clock: Clock;
  readonly onClock: (clock: Clock) => void;
}

export function ClockChoice<Clock extends string>(props: ClockChoiceProps<Clock>) {
  const { legend, name, clocks, clock, onClock } = props;
  return (
    <fieldset className={styles['clocks']}>
      <legend className="visually-hidden">{legend}</legend>
      {clocks.map((one) => (
        <label key={one}>
          <input type="radio" name={name} value={one} checked={clock === one} onChange={() => onClock(one)} />
          <span>{one}</span>
        </label>
      ))}
    </fieldset>
  );
}
