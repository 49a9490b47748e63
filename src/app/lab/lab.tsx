/**
 * The collectives lab: one collective, really run in the session, through which the user steps round by round. Its
 * state is `lab` of the view, so a link opens it at the same round. lab-place.tsx loads it when it is first opened.
 */
import { useRef } from 'react';
import type { LabResult } from '../../protocol/lab';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import { RING_SHORT, RING_WHY } from '../../trace/ring-words';
import { loadedPanel } from '../boundary/loaded-panel';
import type { LabSettings } from '../permalink/lab-link';
import { useApp } from '../state/use-app';
import { Controls } from './controls';
import { Curves } from './curves';
import { Figure } from './figure';
import styles from './lab.module.css';
import { labFigure } from './lab-picture';
import { labSentence, turnsAsGloo } from './lab-sentence';
import { LabTransport } from './lab-transport';
import { OP_WORDS } from './lab-words';
import { Ports } from './ports';
import { StateTable } from './state-table';
import { Totals } from './totals';
import { useLab } from './use-lab';
import { useRounds } from './use-rounds';
import { useSeen } from './use-seen';

// Loaded here and not as for the page's figures, which wait for a run: a lab in an embed has no run.
const SavePicture = loadedPanel(
  'The button that saves a picture',
  async () => (await import('../picture/save-picture')).SavePicture,
  { small: true },
);

export function LabBody({ lab }: { lab: LabSettings }) {
  const root = useRef<HTMLDivElement>(null);
  const seen = useSeen(root);
  const hide = useApp((app) => app.hide);
  const locked = useApp((app) => app.lock.has('lab') || app.lock.has('setup'));
  const { result, curves, measured, measuring, problem, measure } = useLab(lab);
  const { position, playing, show, go, toggle } = useRounds(lab, result?.rounds.length ?? 0, seen);
  return (
    <div
      ref={root}
      className={styles['body']}
      data-bare={hide.has('setup') || undefined}
      data-unseen={!seen || undefined}
    >
      <h1 className={styles['title']}>
        {OP_WORDS[lab.type]} <span>by {ALGORITHMS[result?.algorithm ?? lab.algorithm].name}</span>
      </h1>
      {!hide.has('setup') && (
        <Controls lab={lab} known={result?.known ?? [lab.algorithm]} locked={locked} change={show} />
      )}
      <div className={styles['stage']}>
        {problem !== undefined && (
          <p role="alert" className={styles['problem']}>
            {problem}
          </p>
        )}
        {result && (
          <>
            <p className={styles['sentence']} aria-live="polite">
              {labSentence(result, position)}
            </p>
            <Notes lab={lab} result={result} />
            <LabTransport result={result} position={position} playing={playing} go={go} toggle={toggle} />
            <Figure result={result} position={position} />
            <div className={styles['tools']}>
              <StateTable result={result} position={position} />
              <SavePicture
                name="lab"
                what="the buffers of the ranks"
                figure={labFigure(() => root.current?.querySelector('section > svg'), result, position)}
              />
            </div>
            {!hide.has('timeline') && <Ports result={result} position={position} go={go} />}
          </>
        )}
      </div>
      {result && !hide.has('numbers') && (
        <Totals result={result} measured={measured} measuring={measuring} measure={measure} />
      )}
      {result && curves && !hide.has('result') && <Curves curves={curves} result={result} />}
    </div>
  );
}

/** Notes about differences from the settings (another algorithm, another length), and about NCCL's ring and gloo's. */
function Notes({ lab, result }: { lab: LabSettings; result: LabResult }) {
  const fallsBack = result.algorithm !== lab.algorithm && result.request.algorithm === lab.algorithm;
  return (
    <>
      {turnsAsGloo(result) && (
        <details className={styles['note']}>
          <summary>{RING_SHORT}</summary>
          <p>{RING_WHY}</p>
        </details>
      )}
      {fallsBack && (
        <p className={styles['note']}>
          {ALGORITHMS[lab.algorithm].name} cannot do {OP_WORDS[lab.type]}, so {ALGORITHMS[result.algorithm].name} runs.
        </p>
      )}
      {result.length !== lab.length && result.request.length === lab.length && (
        <p className={styles['note']}>
          {OP_WORDS[lab.type]} cuts the buffer into {lab.ranks} equal parts, so the buffer of each rank has{' '}
          {result.length} elements.
        </p>
      )}
    </>
  );
}
