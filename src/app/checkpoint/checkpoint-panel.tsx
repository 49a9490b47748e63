/**
 * The dialog that saves the state of training into this browser or into a .zip, and loads it again. The session refuses
 * a checkpoint that does not fit with a notice, and the open run stays.
 */
import { type ChangeEvent, useId, useState } from 'react';
import { useApp } from '../state/use-app';
import type { SettingsOf } from '../stored/with-checkpoint';
import styles from './checkpoint.module.css';
import { KeptList } from './kept-list';
import { useCheckpoints } from './use-checkpoints';

export function CheckpointPanel({ close }: { close: () => void }) {
  const resumed = useApp((app) => app.config.resume);
  const ranks = useApp((app) => app.info?.ranks ?? 1);
  const locked = useApp((app) => app.lock.has('setup') || app.lock.has('checkpoints'));
  const [name, setName] = useState('run');
  const [settingsOf, setSettingsOf] = useState<SettingsOf>('checkpoint');
  const checkpoints = useCheckpoints(settingsOf, close);
  const id = useId();
  const wanted = name.trim().replaceAll(/[/\\]/g, '-');
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(event.target.files ?? [])];
    event.target.value = '';
    if (chosen.length > 0) checkpoints.loadFiles(chosen);
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
        <button type="button" disabled={wanted === ''} onClick={() => checkpoints.keep(wanted)}>
          Save in this browser
        </button>
        <button type="button" disabled={wanted === ''} onClick={() => checkpoints.download(wanted)}>
          Download .zip
        </button>
        {ranks > 1 && (
          <button
            type="button"
            disabled={wanted === ''}
            title="One file for each rank and an index, as torch.distributed.checkpoint saves them. Any number of ranks and any mode can continue from them."
            onClick={() => checkpoints.downloadShards(wanted)}
          >
            Download in shards
          </button>
        )}
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
      {checkpoints.kept.length > 0 && <KeptList checkpoints={checkpoints} locked={locked} />}
      {resumed !== undefined && (
        <div className={styles['row']}>
          <span>This run continues from "{resumed}".</span>
          <button type="button" disabled={locked} onClick={checkpoints.beginAnew}>
            Begin at step 0
          </button>
        </div>
      )}
      <p role="status">{checkpoints.said}</p>
    </div>
  );
}
