/**
 * The Share dialog: the link to this run, and to the shown moment; the page as a frame for another page, with hidden
 * and locked parts and a preview. Loaded when it is first opened.
 */
import { useEffect, useState } from 'react';
import { capital } from '../../trace/capital';
import { stateHere } from '../address/state-here';
import { useLinkedViews, useUrlSync } from '../address/use-address';
import { useAppStore } from '../state/use-app';
import { CopyField } from './copy-field';
import { Embed } from './embed';
import { momentWords } from './moment-words';
import styles from './share.module.css';

/** The state of the page when the dialog was opened, because a playing run continues behind it. */
export function ShareBody({ onCompare }: { readonly onCompare: (() => void) | undefined }) {
  const store = useAppStore();
  const linked = useLinkedViews();
  const urlSync = useUrlSync();
  const [here] = useState(() => stateHere(store.getState(), linked.read()));
  const [words] = useState(() => momentWords(store.getState()));
  const [exact, setExact] = useState(false);
  useEffect(() => {
    urlSync.write();
  }, [urlSync]);
  const state = exact ? here : undefined;
  return (
    <div className={styles['share']}>
      <h2>Link to this run</h2>
      <p>Same settings, same seed, same start. The link holds only the settings that differ from the defaults.</p>
      <label className={styles['check']}>
        <input type="checkbox" checked={exact} onChange={(event) => setExact(event.target.checked)} />
        Open at this moment{words === '' ? '' : `: ${words}`}
      </label>
      {exact && (
        <p className={styles['note']}>
          {capital('the link trains the run to this step, then pauses at the same moment.')}
        </p>
      )}
      <CopyField name="Link" text={urlSync.href(undefined, state)} />
      <Embed state={state} />
      {onCompare && (
        <>
          <h2>Compare it</h2>
          <p>
            Runs a second configuration below this one, on one clock. The address bar then has the link to both runs.
          </p>
          <button type="button" onClick={onCompare}>
            Compare with another run
          </button>
        </>
      )}
    </div>
  );
}
