/** The right end of the bar: seed, link, theme, keys. */
import { BAR } from '../../protocol/words/bar';
import { useUrlSync } from '../address/use-address';
import { loadedPanel } from '../boundary/loaded-panel';
import { usePalette } from '../draw/canvas-context';
import { resolveTheme } from '../draw/theme';
import { withSetting } from '../edit/edit-config';
import { CommitField } from '../fields/commit-field';
import { problemSentence } from '../fields/problem-sentence';
import { openRecordings } from '../looks/given';
import { DEFAULT_LAB } from '../permalink/lab-link';
import { parseNumber } from '../permalink/permalink-codecs';
import { useController } from '../run/use-controller';
import { useApp, useAppStore } from '../state/use-app';
import styles from './bar.module.css';
import { CheckpointButton } from './checkpoint-button';
import dialogs from './dialog.module.css';
import { DialogButton } from './dialog-button';
import { HELP_KEY } from './keys';
import { MuseumButton } from './museum-button';

const ShareBody = loadedPanel('The Share dialog', async () => (await import('../share/share-dialog')).ShareBody);
const KeysList = loadedPanel('The list of keys', async () => (await import('./keys-list')).KeysList);

export function BarMenu({ locked }: { locked: (part: string) => boolean }) {
  const config = useApp((app) => app.config);
  const hide = useApp((app) => app.hide);
  const controller = useController();
  const commitSeed = (text: string) => {
    const edit = withSetting(config, ['seed'], parseNumber(text) ?? text);
    if (!edit.ok) return problemSentence(edit.problem);
    controller.apply(edit.config);
    return undefined;
  };
  return (
    <div className={styles['menu']}>
      {!hide.has('seed') && (
        <fieldset className={styles['seed']} disabled={locked('seed')}>
          <CommitField label="seed" text={String(config.seed)} commit={commitSeed} title={BAR.seed.description} />
        </fieldset>
      )}
      {!hide.has('lessons') && (
        <a className={styles['plain']} href="learn/index.html" title="Lessons: every figure is a real run">
          Learn
        </a>
      )}
      {!hide.has('lab') && <LabButton />}
      {!hide.has('bugs') && <MuseumButton />}
      {!hide.has('checkpoints') && <CheckpointButton />}
      {!hide.has('compare') && <CompareButton />}
      {!hide.has('recordings') && <RecordingsButton />}
      {!hide.has('share') && <Share />}
      <ThemeToggle />
      <Keys />
    </div>
  );
}

function LabButton() {
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const open = () => {
    setView({ lab: DEFAULT_LAB });
    urlSync.write();
  };
  return (
    <button
      type="button"
      className={styles['plain']}
      title="Collectives lab: one collective, round by round"
      onClick={open}
    >
      Lab
    </button>
  );
}

function CompareButton() {
  const setView = useApp((app) => app.setView);
  return (
    <button
      type="button"
      className={styles['plain']}
      aria-label="Compare"
      title="Compare this run with another one, on one clock"
      onClick={() => setView({ beside: '' })}
    >
      <span className={styles['word']}>Compare</span>
      <svg className={styles['icon']} viewBox="0 0 16 16" width={15} height={15} aria-hidden="true">
        <path d="M2 2.5h12v4H2zm0 7h12v4H2z" fill="none" stroke="currentColor" strokeWidth={1.4} />
      </svg>
    </button>
  );
}

function RecordingsButton() {
  const store = useAppStore();
  return (
    <button
      type="button"
      className={styles['plain']}
      aria-label="Recordings"
      title="Recordings: look at what a real run of PyTorch did (traces, flight recorder, nccl-tests)"
      onClick={() => openRecordings(store)}
    >
      <span className={styles['word']}>Recordings</span>
      <svg className={styles['icon']} viewBox="0 0 16 16" width={15} height={15} aria-hidden="true">
        <path d="M1.5 3.5h6m2 0h5m-10 4.5h8m-11 4.5h4m3 0h6" fill="none" stroke="currentColor" strokeWidth={2.2} />
      </svg>
    </button>
  );
}

/** While the user steps to a moment, the link leads to the end of that step. */
function Share() {
  const { player } = useController();
  const hide = useApp((app) => app.hide);
  const setView = useApp((app) => app.setView);
  const compare = (close: () => void) => () => {
    close();
    setView({ beside: '' });
  };
  return (
    <DialogButton
      name="Share"
      className={dialogs['wide']}
      forgets
      onOpen={player.arrive}
      content={(close) => <ShareBody onCompare={hide.has('compare') ? undefined : compare(close)} />}
    >
      Share
    </DialogButton>
  );
}

const Keys = () => (
  <DialogButton name="Keys" label="Keys" title="Keys (?)" openedBy={HELP_KEY} content={() => <KeysList />}>
    ?
  </DialogButton>
);

function ThemeToggle() {
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const { dark } = usePalette();
  const next = dark ? 'light' : 'dark';
  const choose = () => {
    // The system's own choice needs no word in the link.
    const system = resolveTheme('system', matchMedia('(prefers-color-scheme: dark)').matches);
    setView({ theme: next === system ? 'system' : next });
    urlSync.write();
  };
  return (
    <button
      type="button"
      className={styles['plain']}
      aria-label={`Use the ${next} theme`}
      title={`Use the ${next} theme`}
      onClick={choose}
    >
      <svg viewBox="0 0 16 16" width={15} height={15} aria-hidden="true">
        <circle cx={8} cy={8} r={6} fill="none" stroke="currentColor" strokeWidth={1.4} />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </svg>
    </button>
  );
}
