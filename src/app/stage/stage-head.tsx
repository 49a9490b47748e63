/**
 * The title of the stage: one sentence that says what happens, below it the reason, and the number of the step. Its
 * height never changes, so the stage never jumps; a sentence that does not fit is set smaller, never cut.
 */
import { useLayoutEffect, useRef } from 'react';
import { stepWords } from '../../protocol/micro-batches';
import { capital } from '../../trace/capital';
import { plainText } from '../../trace/moments/marked';
import { laterPanel, loadedPanel } from '../boundary/loaded-panel';
import { formatCount, stepNumber } from '../draw/format';
import { isConstruct } from '../state/kept-run';
import { useApp, useSettled } from '../state/use-app';
import { Worded } from '../terms/worded';
import { isPausing, trainingAt } from '../transport/positions';
import styles from './stage-head.module.css';
import { useSentence } from './use-sentence';
import { Why } from './why';

const GoingTo = loadedPanel('The way to the moment', async () => (await import('./going-to')).GoingTo, { small: true });
const FasterHint = laterPanel('The hint about the pace', async () => (await import('./faster-hint')).FasterHint, {
  small: true,
});

export function StageHead() {
  const { sentence, why } = useSentence(90);
  const state = useApp((app) => app.state);
  const busy = useApp((app) => app.busy);
  const stands = useApp((app) => app.standstill !== undefined);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 90);
  const waits = state === 'loading' || (state === 'failed' && !stands);
  const goingTo = useApp((app) => app.goingTo);
  const goal = useApp((app) => goingTo !== undefined && stepWords(goingTo, app.info?.config ?? app.config, stepNumber));
  const shown = goal === false ? sentence : `Training to ${goal}, where the link leads`;
  const said = state === 'loading' ? busy || 'Starting' : waits ? busy : shown;
  const ahead = useSettled(trainingAt, 250);
  const pausing = useApp(isPausing);
  const step =
    trace && !waits && !stands && goingTo === undefined ? stepWords(trace.microBatch, trace, stepNumber) : undefined;
  return (
    <div className={styles['head']}>
      <Sentence marked={said} />
      <p className={styles['aside']}>
        {goingTo !== undefined && <GoingTo microBatch={goingTo} />}
        {step !== undefined && ahead === undefined && (
          <span className={styles['step']}>{pausing ? 'Pausing: training finishes its step' : capital(step)}</span>
        )}
        {trace && step !== undefined && ahead !== undefined && (
          <span className={styles['replay']}>
            {isConstruct(trace) ? 'Showing' : 'Replaying'} {step}; training is at {formatCount(ahead)}
          </span>
        )}
        <FasterHint />
        {why !== undefined && !waits && goingTo === undefined && <Why text={why} />}
      </p>
    </div>
  );
}

/** Font sizes of the sentence, in descending order (stage-head.module.css). */
const SIZES = ['usual', 'long', 'longest'] as const;

function Sentence({ marked }: { marked: string }) {
  const place = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const p = place.current;
    if (!p || marked === '') return undefined;
    const chooseSize = () => {
      p.removeAttribute('data-short');
      for (const size of SIZES) {
        p.setAttribute('data-size', size);
        if (p.scrollHeight <= p.clientHeight && p.scrollWidth <= p.clientWidth) break;
      }
      const words = document.createRange();
      words.selectNodeContents(p);
      // If half of the sentence's place is free, the text below may have two lines.
      p.toggleAttribute('data-short', 2 * words.getBoundingClientRect().height < p.clientHeight + 4);
    };
    chooseSize();
    let width = p.clientWidth;
    const observer = new ResizeObserver(() => {
      if (p.clientWidth !== width) chooseSize();
      width = p.clientWidth;
    });
    observer.observe(p);
    return () => observer.disconnect();
  }, [marked]);
  return (
    <p ref={place} className={styles['said']} title={plainText(marked)}>
      <Worded marked={marked} />
    </p>
  );
}
