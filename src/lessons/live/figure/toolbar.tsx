/** The toolbar above a figure: settings on the left, buttons on the right. */
import { TransportButton } from '../../../app/bar/transport';
import { useApp } from '../../../app/state/use-app';
import type { Press } from '../../lesson';
import { RoundSlider, SettingControlView } from './setting-control';
import { isLab, pressesOf, settingsOf } from './settings';
import styles from './toolbar.module.css';
import { useFigure, useFigureState } from './use-figure';

export function Toolbar() {
  const { spec } = useFigure();
  const presses = pressesOf(spec);
  const lab = isLab(spec);
  const buttons = ORDER.filter((press) => presses.includes(press) && !(lab && press === 'round'));
  return (
    <div className={styles['toolbar']}>
      <div className={styles['settings']}>
        {settingsOf(spec).map((control) => (
          <SettingControlView key={control.key} control={control} />
        ))}
        {lab && presses.includes('round') && <RoundSlider />}
      </div>
      <fieldset className={styles['presses']} aria-label="Run the figure">
        {buttons.map((press) => (
          <PressButton key={press} press={press} />
        ))}
      </fieldset>
    </div>
  );
}

/** From left to right; Play is always at the right edge. */
const ORDER: readonly Press[] = ['kill', 'reset', 'moment', 'round', 'phase', 'iteration', 'play'];

const NAMES = {
  moment: 'Step moment',
  round: 'Step round',
  phase: 'Step phase',
  iteration: 'Step iteration',
  reset: 'Reset',
} as const;

function PressButton({ press }: { readonly press: Press }) {
  const figure = useFigure();
  const used = useFigureState((state) => state.used === press);
  const there = useFigureState((state) => state.there);
  const busy = useApp((app) => !isLab(figure.spec) && app.state === 'loading');
  const off = !there || (busy && press !== 'reset');
  const onClick = () => figure.press(press);
  const button = () => {
    if (press === 'play') return <PlayButton off={off} onClick={onClick} />;
    if (press === 'kill') return <KillButton off={off} onClick={onClick} />;
    return <TransportButton name={NAMES[press]} keys={TITLES[press]} icon={press} disabled={off} onClick={onClick} />;
  };
  return (
    <span className={styles['press']} data-press={press} data-used={used || undefined}>
      {button()}
    </span>
  );
}

/** Explains what the name alone does not. */
const TITLES = {
  moment: 'go to the next moment',
  round: 'go to the end of the next round of messages',
  phase: 'go to the end of forward, backward or the optimiser',
  iteration: 'go to the end of the step',
  reset: 'go back to how the figure started',
} as const;

interface ButtonProps {
  readonly off: boolean;
  readonly onClick: () => Promise<void>;
}

function PlayButton({ off, onClick }: ButtonProps) {
  const { spec } = useFigure();
  const labPlays = useFigureState((state) => state.labPlays);
  const runs = useApp((app) => app.state === 'playing');
  const plays = isLab(spec) ? labPlays : runs;
  return plays ? (
    <TransportButton name="Pause" keys="the figure" icon="pause" main disabled={off} onClick={onClick} />
  ) : (
    <TransportButton name="Play" keys="the figure" icon="play" main disabled={off} onClick={onClick} />
  );
}

function KillButton({ off, onClick }: ButtonProps) {
  const last = useApp((app) => (app.info?.ranks ?? app.config.worldSize) - 1);
  return (
    <button type="button" className={styles['kill']} disabled={off} onClick={() => void onClick()}>
      End rank {last}
    </button>
  );
}
