/** The buttons that open a recording: the user's files, and the recorded examples. */
import fields from '../fields/fields.module.css';
import { FileButton } from '../files/file-button';
import { EXAMPLE_IDS } from '../permalink/recording-link';
import { EXAMPLES } from './examples';
import styles from './recordings.module.css';
import type { Asking } from './use-asking';

export function OpenButtons({ asking }: { readonly asking: Asking }) {
  return (
    <div className={styles['ways']}>
      <FileButton label="Recordings" multiple onFiles={(files) => void asking.files(files)}>
        Open files …
      </FileButton>
      {EXAMPLE_IDS.map((id) => (
        <button
          key={id}
          type="button"
          className={fields['button']}
          title={`${EXAMPLES[id].title}. ${EXAMPLES[id].what}`}
          onClick={() => asking.example(id)}
        >
          Example: {EXAMPLES[id].name}
        </button>
      ))}
    </div>
  );
}
