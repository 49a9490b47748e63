/** Above the stage: one sentence that says what happens now, and what is being shown when training runs ahead of it. */
import { formatCount } from './format';
import { atLiveEdge } from './positions';
import styles from './stage-head.module.css';
import { useApp, useSettled } from './use-app';
import { useSentence } from './use-sentence';

export function StageHead() {
  const sentence = useSentence(90);
  const state = useApp((app) => app.state);
  const busy = useApp((app) => app.busy);
  const step = useSettled((app) => app.cursor && app.traces[app.cursor.trace]?.step, 90);
  const behind = useSettled((app) => !atLiveEdge(app), 200);
  const said = state === 'loading' ? busy || 'Starting' : state === 'failed' ? busy : sentence;
  return (
    <p className={styles['head']}>
      <span>{said}</span>
      {step !== undefined && behind && <span className={styles['step']}>showing step {formatCount(step)}</span>}
    </p>
  );
}
