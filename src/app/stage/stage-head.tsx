/**
 * Above the stage: which step is shown, and one sentence that says what happens in it. It has the same height always,
 * so that the stage never jumps.
 */
import { stepWords } from '../../protocol/micro-batches';
import { capital } from '../../trace/words';
import { stepNumber } from '../draw/format';
import { useApp, useSettled } from '../state/use-app';
import styles from './stage-head.module.css';
import { useSentence } from './use-sentence';

export function StageHead() {
  const sentence = useSentence(90);
  const state = useApp((app) => app.state);
  const busy = useApp((app) => app.busy);
  const stands = useApp((app) => app.standstill !== undefined);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 90);
  const plain = stands || !trace || /^Step \d/.test(sentence) || sentence === '';
  const now = plain ? sentence : `${capital(stepWords(trace.microBatch, trace, stepNumber))} · ${sentence}`;
  const said = state === 'loading' ? busy || 'Starting' : state === 'failed' && !stands ? busy : now;
  return (
    <p className={styles['head']} title={said}>
      {said}
    </p>
  );
}
