/** Above the stage: one sentence that says what happens now. It has the same height always, so that the stage never jumps. */
import styles from './stage-head.module.css';
import { useApp } from './use-app';
import { useSentence } from './use-sentence';

export function StageHead() {
  const sentence = useSentence(90);
  const state = useApp((app) => app.state);
  const busy = useApp((app) => app.busy);
  const said = state === 'loading' ? busy || 'Starting' : state === 'failed' ? busy : sentence;
  return (
    <p className={styles['head']} title={said}>
      {said}
    </p>
  );
}
