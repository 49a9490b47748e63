/** The checkpoints in this browser, each with its buttons. Part of checkpoint-panel.tsx. */
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import { formatCount, formatSize } from '../draw/format';
import type { StoredCheckpoint } from '../stored/checkpoint-store';
import styles from './checkpoint.module.css';
import type { Checkpoints } from './use-checkpoints';

/**
 * A checkpoint of another version of Lockstep may have a mode that this version does not know; the list shows the
 * mode's name.
 */
export function KeptList({ checkpoints, locked }: { checkpoints: Checkpoints; locked: boolean }) {
  return (
    <ul aria-label="Saved in this browser" className={styles['list']}>
      {checkpoints.kept.map((one) => (
        <li key={one.name}>
          <Summary of={one} />
          <span className={styles['row']}>
            <button
              type="button"
              disabled={locked}
              aria-label={`Load ${one.name}`}
              onClick={() => checkpoints.loadKept(one.name)}
            >
              Load
            </button>
            <button
              type="button"
              aria-label={`Download ${one.name}`}
              onClick={() => checkpoints.downloadKept(one.name)}
            >
              .zip
            </button>
            <button type="button" aria-label={`Delete ${one.name}`} onClick={() => checkpoints.remove(one.name)}>
              Delete
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

const Summary = ({ of: { name, step, mode, worldSize, bytes, savedAt } }: { of: StoredCheckpoint }) => (
  <span>
    <b>{name}</b> step {formatCount(step)}, {lookup(FACES, mode)?.listed ?? mode} on {worldSize}, {formatSize(bytes)},{' '}
    {new Date(savedAt).toLocaleString()}
  </span>
);
