/** Play and step buttons for both compared runs, their speed, and their clock. */
import { useStore } from 'zustand';
import { TransportButton } from '../bar/transport';
import { stepNumber } from '../draw/format';
import { useApp } from '../state/use-app';
import styles from './compare.module.css';
import type { Duo } from './duo';
import { PACES } from './duo-state';

export function DuoBar({ duo }: { duo: Duo }) {
  const playing = useStore(duo.state, (state) => state.playing);
  const pace = useStore(duo.state, (state) => state.pace);
  const busy = useStore(duo.state, (state) => state.busy);
  const step = useStore(duo.state, (state) => state.step);
  const clock = useApp((app) => app.clock);
  const off = step === undefined;
  const words = busy || (off ? 'Both runs start' : `Step ${stepNumber(step)} of both`);
  return (
    <div className={styles['bar']}>
      <fieldset aria-label="Transport of both runs" className={styles['buttons']}>
        <TransportButton name="Step back" keys="," icon="back" disabled={off} onClick={() => duo.back('moment')} />
        {playing ? (
          <TransportButton name="Pause" keys="Space" icon="pause" main disabled={off} onClick={duo.pause} />
        ) : (
          <TransportButton name="Play" keys="Space" icon="play" main disabled={off} onClick={duo.play} />
        )}
        <TransportButton name="Step moment" keys="." icon="moment" disabled={off} onClick={() => duo.step('moment')} />
        <TransportButton
          name="Step phase"
          keys="Shift ."
          icon="phase"
          disabled={off}
          onClick={() => duo.step('phase')}
        />
        <TransportButton name="Step iteration" keys="i" icon="iteration" disabled={off} onClick={duo.iterate} />
      </fieldset>
      <label className={styles['choice']}>
        Pace{' '}
        <select value={pace} onChange={(event) => duo.setPace(Number(event.target.value))}>
          {PACES.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label className={styles['choice']}>
        Clock{' '}
        <select
          value={clock}
          onChange={(event) => duo.setClock(event.target.value === 'measured' ? 'measured' : 'modelled')}
        >
          <option value="modelled">modelled</option>
          <option value="measured">measured</option>
        </select>
      </label>
      <p role="status" aria-live="off" aria-label="Step of both">
        {words}
      </p>
    </div>
  );
}
