/**
 * Two runs on one clock: run A, the page's own, above run B; between them both steps as bars on one time axis; beside
 * them both losses in one plot and a table of differences. The page's stage draws each run; run B has its own store.
 */
import { useStore } from 'zustand';
import { FACES } from '../../parallel/faces';
import { useUrlSync } from '../address/use-address';
import { usePalette } from '../draw/canvas-context';
import fields from '../fields/fields.module.css';
import { openReport } from '../looks/given';
import { Notices } from '../notices/notices';
import { AppContexts } from '../run/app-contexts';
import { Stage } from '../stage/stage';
import { StageHead } from '../stage/stage-head';
import { useApp, useAppStore } from '../state/use-app';
import { ChooseBeside } from './choose-beside';
import styles from './compare.module.css';
import { DifferencesTable } from './differences-table';
import type { Duo } from './duo';
import { DuoBar } from './duo-bar';
import { useDuoKeys } from './duo-keys';
import { LossesOfTwo } from './losses-of-two';
import { OneClock } from './one-clock';
import { type RunComparison, useComparison } from './use-comparison';

const nothing = () => undefined;

export function Compare() {
  const comparison = useComparison();
  const failed = useApp((app) => app.state === 'failed');
  if (comparison) return <Both comparison={comparison} />;
  return (
    <p role="status" className={styles['wait']}>
      {failed ? 'There is no run to compare with: close this and start one.' : 'Run A starts.'}
    </p>
  );
}

function Both({ comparison }: { comparison: RunComparison }) {
  const { duo, first, services } = comparison;
  const palette = usePalette();
  useDuoKeys(duo);
  return (
    <div className={styles['compare']}>
      <header className={styles['head']}>
        <h2>Compare</h2>
        <DuoBar duo={duo} />
        <ChooseBeside comparison={comparison} />
        <ReportButton />
      </header>
      <AppContexts services={first} palette={palette}>
        <section aria-label="Run A" className={styles['run']}>
          <RunHead letter="A" duo={duo} index={0} />
          <Notices />
          <StageHead />
          <Stage onThere={nothing} />
        </section>
      </AppContexts>
      <OneClock comparison={comparison} />
      <AppContexts services={services} palette={palette}>
        <section aria-label="Run B" className={styles['run']}>
          <RunHead letter="B" duo={duo} index={1} />
          <Notices />
          <StageHead />
          <Stage onThere={nothing} />
        </section>
      </AppContexts>
      <aside aria-label="Differences" className={styles['side']}>
        <LossesOfTwo comparison={comparison} />
        <DifferencesTable comparison={comparison} />
      </aside>
    </div>
  );
}

/** Closes run B and compares with a report of real PyTorch, or of another run, instead. */
function ReportButton() {
  const setView = useApp((app) => app.setView);
  const store = useAppStore();
  const urlSync = useUrlSync();
  const open = () => {
    setView({ beside: undefined });
    urlSync.write();
    openReport(store);
  };
  return (
    <button
      type="button"
      className={fields['button']}
      aria-label="Compare with a report"
      title="Compare with a report: does this run match a run of real PyTorch, or of lockstep train?"
      onClick={open}
    >
      with a report …
    </button>
  );
}

interface RunHeadProps {
  readonly letter: string;
  readonly duo: Duo;
  readonly index: number;
}

/** The head of a run: its letter, mode and devices, and whether its step is over. */
function RunHead({ letter, duo, index }: RunHeadProps) {
  const config = useApp((app) => app.info?.config ?? app.config);
  const over = useStore(duo.state, ({ tracks, timeUs }) => {
    const track = tracks[index];
    return track !== undefined && timeUs >= track.totalUs;
  });
  const longer = useStore(duo.state, ({ tracks, timeUs }) => tracks.some(({ totalUs }) => timeUs < totalUs));
  const face = FACES[config.mode];
  return (
    <h3 className={styles['runHead']}>
      <b data-run={letter}>{letter}</b> {face.title}
      {!face.oneDevice && `, ${config.worldSize} devices`}
      {over && (
        <span role="status" className={styles['over']}>
          {longer ? 'step done; the other run still computes' : 'step done'}
        </span>
      )}
    </h3>
  );
}
