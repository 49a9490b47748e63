/**
 * One setting of a figure: a slider, a few values side by side, or a switch. A change runs the figure again with the
 * new value.
 */
import { useEffect, useState } from 'react';
import { useApp } from '../../../app/state/use-app';
import type { SettingControl } from '../../lesson';
import { onValue, shapeOf, valueNow, wordsOf } from './settings';
import styles from './toolbar.module.css';
import { useFigure, useFigureState } from './use-figure';

/** A slider that the reader drags passes over values that need no run. */
const APPLY_AFTER_MS = 180;

interface ControlProps {
  readonly control: SettingControl;
  readonly value: string | undefined;
  readonly put: (value: string) => void;
}

export function SettingControlView({ control }: { readonly control: SettingControl }) {
  const figure = useFigure();
  const changes = useFigureState((state) => state.changes);
  const used = useFigureState((state) => state.used === control.key);
  const value = valueNow(figure.spec.run, control, changes);
  const put = (next: string) => void figure.set({ [control.key]: next });
  const shape = shapeOf(control);
  const View = shape === 'slider' ? SliderSetting : shape === 'switch' ? SwitchSetting : ChoiceSetting;
  return (
    <div className={styles['setting']} data-setting={control.key} data-used={used || undefined}>
      <View control={control} value={value} put={put} />
    </div>
  );
}

function SliderSetting({ control, value, put }: ControlProps) {
  const at = Math.max(0, value === undefined ? 0 : control.values.indexOf(value));
  const [drawn, setDrawn] = useState<number>();
  useEffect(() => {
    if (drawn === undefined) return;
    const timer = setTimeout(() => {
      setDrawn(undefined);
      const next = control.values[drawn];
      if (next !== undefined && drawn !== at) put(next);
    }, APPLY_AFTER_MS);
    return () => clearTimeout(timer);
  });
  const place = drawn ?? at;
  const text = wordsOf(control, control.values[place]);
  return (
    <label className={styles['slider']}>
      <span>{control.label}</span>
      <input
        type="range"
        min={0}
        max={control.values.length - 1}
        step={1}
        value={place}
        aria-valuetext={text}
        onChange={(event) => setDrawn(Number(event.target.value))}
      />
      <b>{text}</b>
    </label>
  );
}

/** In a form of its own, so that other figures' radio buttons of the same name are not in the group. */
function ChoiceSetting({ control, value, put }: ControlProps) {
  return (
    <fieldset className={styles['choice']}>
      <legend>{control.label}</legend>
      <form>
        {control.values.map((own) => (
          <label key={own}>
            <input type="radio" name={control.key} value={own} checked={own === value} onChange={() => put(own)} />
            <span>{wordsOf(control, own)}</span>
          </label>
        ))}
      </form>
    </fieldset>
  );
}

function SwitchSetting({ control, value, put }: ControlProps) {
  const on = onValue(control);
  const off = control.values.find((own) => own !== on);
  const next = value === on ? off : on;
  return (
    <label className={styles['switch']}>
      <input type="checkbox" checked={value === on} onChange={() => next !== undefined && put(next)} />
      <span>{control.label}</span>
    </label>
  );
}

/** The slider over the rounds of a lab figure. */
export function RoundSlider() {
  const figure = useFigure();
  const last = useFigureState((state) => state.lab?.rounds.length);
  const used = useFigureState((state) => state.used === 'round');
  const round = useApp((app) => app.lab?.round ?? 0);
  return (
    <div className={styles['setting']} data-setting="round" data-used={used || undefined}>
      <label className={styles['slider']}>
        <span>Round</span>
        <input
          type="range"
          min={0}
          max={Math.max(1, last ?? 1)}
          step={1}
          value={round}
          disabled={!last}
          aria-valuetext={round === 0 ? 'start' : `${round} of ${last ?? 0}`}
          onChange={(event) => figure.toRound(Number(event.target.value))}
        />
        <b>{round === 0 ? 'start' : `${round} of ${last ?? 0}`}</b>
      </label>
    </div>
  );
}
