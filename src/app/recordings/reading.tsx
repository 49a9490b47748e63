/** The progress of reading files, with a button to stop it. */
import { formatPercent, formatSize } from '../draw/format';
import fields from '../fields/fields.module.css';
import type { DeskState } from './desk';
import styles from './recordings.module.css';

interface ReadingProps {
  readonly reading: NonNullable<DeskState['reading']>;
  readonly onCancel: () => void;
}

export function Reading({ reading: { what, bytes, of }, onCancel }: ReadingProps) {
  const known = of > 0;
  return (
    <div className={styles['reading']}>
      <label>
        Reading {what}
        <progress max={1} {...(known ? { value: bytes / of } : {})} />
      </label>
      <output>{known ? `${formatSize(bytes)} of ${formatSize(of)}, ${formatPercent(bytes / of)}` : ''}</output>
      <button type="button" className={fields['button']} onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
