/** Above the stage: one sentence that says what happens now, and what is being shown when training runs ahead of it. */
import { formatCount, formatRate } from './format';
import { atLiveEdge, runsFreely } from './positions';
import styles from './stage-head.module.css';
import { useApp, useSettled } from './use-app';
import { useSentence } from './use-sentence';

export function StageHead() {
  const sentence = useSentence(90);
  const state = useApp((app) => app.state);
  const busy = useApp((app) => app.busy);
  const step = useSettled((app) => app.cursor && app.traces[app.cursor.trace]?.step, 90);
  const behind = useSettled((app) => !atLiveEdge(app), 200);
  const rate = useSettled((app) => (runsFreely(app) ? app.stepsPerSecond : 0), 500);
  const said = state === 'loading' ? busy || 'Starting' : state === 'failed' ? busy : sentence;
  return (
    <p className={styles['head']}>
      <span>{said}</span>
      <span className={styles['step']}>
        {step !== undefined && behind && `showing step ${formatCount(step)}`}
        {rate > 0 && (
          <>
            {', training at '}
            <span role="status" aria-live="off" aria-label="Steps a second">
              {formatRate(rate)}
            </span>
            {' steps/s'}
          </>
        )}
      </span>
    </p>
  );
}
