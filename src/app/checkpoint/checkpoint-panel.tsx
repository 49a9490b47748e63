/**
 * Save and load, in a dialog: the state of training into this browser or into a .zip, and back from either. A
 * checkpoint that does not fit is refused by the session with a notice, and what was open stays.
 */

import { type ChangeEvent, useCallback, useEffect, useId, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import { formatCount, formatSize } from '../draw/format';
import { useApp, useAppStore, useController } from '../state/use-app';
import styles from './checkpoint.module.css';
import {
  deleteCheckpoint,
  listCheckpoints,
  type StoredCheckpoint,
  storeCheckpoint,
  storedFiles,
} from './checkpoint-store';
import { checkpointAmong, type NamedCheckpoint, zipOf } from './checkpoint-zip';
import { type SettingsOf, withCheckpoint, withoutCheckpoint } from './with-checkpoint';

/** As the page calls it; of another version of Lockstep it may be one that is not known here. */
const modeWords = (mode: string): string => lookup(FACES, mode)?.listed ?? mode;
const words = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

export function CheckpointPanel({ close }: { close: () => void }) {
  const store = useAppStore();
  const controller = useController();
  const resumed = useApp((app) => app.config.resume);
  const locked = useApp((app) => app.lock.has('setup') || app.lock.has('checkpoints'));
  const [kept, setKept] = useState<readonly StoredCheckpoint[]>([]);
  const [said, setSaid] = useState('');
  const [name, setName] = useState('run');
  const [settingsOf, setSettingsOf] = useState<SettingsOf>('checkpoint');
  const id = useId();
  const wanted = name.trim().replaceAll(/[/\\]/g, '-');

  const attempt = useCallback((task: () => Promise<string>) => {
    task().then(setSaid, (error: unknown) => setSaid(`That did not work: ${words(error)}`));
  }, []);
  const refresh = useCallback(async () => setKept(await listCheckpoints()), []);
  useEffect(() => {
    refresh().catch((error: unknown) => setSaid(`This browser keeps nothing here: ${words(error)}`));
  }, [refresh]);

  const taken = async (): Promise<NamedCheckpoint> => ({ name: wanted, files: await controller.saveCheckpoint() });
  const keep = () =>
    attempt(async () => {
      const { files } = await taken();
      const { describeCheckpoint } = await loadPart(
        'The reader of checkpoints',
        () => import('../../training/checkpoint/describe-checkpoint'),
      );
      const { step, mode, worldSize } = describeCheckpoint(wanted, files.state);
      const bytes = files.model.length + files.state.length;
      await storeCheckpoint({ name: wanted, savedAt: Date.now(), bytes, step, mode, worldSize }, files);
      await refresh();
      return `Saved "${wanted}" before step ${formatCount(step)}.`;
    });
  const open = (checkpoint: NamedCheckpoint) => {
    const { config, files } = withCheckpoint(store.getState().config, checkpoint, settingsOf);
    controller.trainOn(files, config);
    close();
  };
  const stored = async (which: string): Promise<NamedCheckpoint> => {
    const files = await storedFiles(which);
    if (!files) throw new Error(`"${which}" is gone`);
    return { name: which, files };
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(event.target.files ?? [])];
    event.target.value = '';
    if (chosen.length === 0) return;
    attempt(async () => {
      const read = chosen.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())] as const);
      const found = checkpointAmong(Object.fromEntries(await Promise.all(read)));
      if (!found) return 'These files are not a checkpoint: choose its .zip, or both .safetensors files.';
      open(found);
      return '';
    });
  };

  return (
    <div className={styles['panel']}>
      <p>Saves the full training state. A resumed run is bit-identical to one that never stopped.</p>
      <label htmlFor={`${id}-name`}>Name</label>
      <input
        className={styles['name']}
        id={`${id}-name`}
        value={name}
        maxLength={60}
        onChange={(event) => setName(event.target.value)}
      />
      <div className={styles['row']}>
        <button type="button" disabled={wanted === ''} onClick={keep}>
          Save in this browser
        </button>
        <button type="button" disabled={wanted === ''} onClick={() => attempt(async () => download(await taken()))}>
          Download .zip
        </button>
      </div>
      <fieldset className={styles['row']} disabled={locked}>
        <legend>Load with the settings of</legend>
        {(['checkpoint', 'page'] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name={`${id}-settings`}
              checked={settingsOf === one}
              onChange={() => setSettingsOf(one)}
            />
            {one === 'checkpoint' ? 'the checkpoint' : 'this page'}
          </label>
        ))}
        <label className={styles['file']}>
          Load from files
          <input type="file" multiple accept=".zip,.safetensors" onChange={choose} />
        </label>
      </fieldset>
      {kept.length > 0 && (
        <ul aria-label="Saved in this browser" className={styles['list']}>
          {kept.map((one) => (
            <li key={one.name}>
              <span>
                <b>{one.name}</b> step {formatCount(one.step)}, {modeWords(one.mode)} on {one.worldSize},{' '}
                {formatSize(one.bytes)}, {new Date(one.savedAt).toLocaleString()}
              </span>
              <span className={styles['row']}>
                <button
                  type="button"
                  disabled={locked}
                  aria-label={`Load ${one.name}`}
                  onClick={() =>
                    attempt(async () => {
                      open(await stored(one.name));
                      return '';
                    })
                  }
                >
                  Load
                </button>
                <button
                  type="button"
                  aria-label={`Download ${one.name}`}
                  onClick={() => attempt(async () => download(await stored(one.name)))}
                >
                  .zip
                </button>
                <button
                  type="button"
                  aria-label={`Delete ${one.name}`}
                  onClick={() =>
                    attempt(async () => {
                      await deleteCheckpoint(one.name);
                      await refresh();
                      return `Deleted "${one.name}".`;
                    })
                  }
                >
                  Delete
                </button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {resumed !== undefined && (
        <div className={styles['row']}>
          <span>This run goes on from "{resumed}".</span>
          <button
            type="button"
            disabled={locked}
            onClick={() => {
              controller.apply(withoutCheckpoint(store.getState().config));
              close();
            }}
          >
            Begin at step 0
          </button>
        </div>
      )}
      <p role="status">{said}</p>
    </div>
  );
}

function download({ name, files }: NamedCheckpoint): string {
  const url = URL.createObjectURL(new Blob([zipOf(name, files)], { type: 'application/zip' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return `Downloading ${name}.zip.`;
}
