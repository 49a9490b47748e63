/**
 * The collectives lab: one collective, run for real in the session and stepped through round by round. Its state is
 * `lab` of the view, so a link opens it where it stood. lab-place.tsx loads it when it is first opened.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { lookup } from '../../base/lookup';
import { RING_SHORT, RING_WHY } from '../../trace/ring-words';
import { useApp, useUrlSync } from '../state/use-app';
import { Controls } from './controls';
import { Curves } from './curves';
import { Figure } from './figure';
import styles from './lab.module.css';
import type { LabSettings } from './lab-link';
import { labSentence, turnsAsGloo } from './lab-sentence';
import { LabTransport } from './lab-transport';
import { ALGORITHM_WORDS, OP_WORDS } from './lab-words';
import { Ports } from './ports';
import { StateTable } from './state-table';
import { Totals } from './totals';
import { useLab } from './use-lab';
import { useSeen } from './use-seen';

const PACE_MS = 1300;

/** Fields take their own keys; a slider its Home and End; a button its Space. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const range = target instanceof HTMLInputElement && target.type === 'range';
  if (range) return key === 'Home' || key === 'End';
  if (target.closest('input, select, textarea')) return true;
  return key === ' ' && target.closest('button, summary') !== null;
}

export function LabBody({ lab }: { lab: LabSettings }) {
  const root = useRef<HTMLDivElement>(null);
  const seen = useSeen(root);
  const hide = useApp((app) => app.hide);
  const locked = useApp((app) => app.lock.has('lab') || app.lock.has('setup'));
  const setView = useApp((app) => app.setView);
  const urlSync = useUrlSync();
  const [playing, setPlaying] = useState(false);
  const { result, curves, measured, measuring, problem, measure } = useLab(lab);
  const last = result?.rounds.length ?? 0;
  const position = Math.min(lab.round, last);

  const show = useCallback(
    (next: LabSettings, how?: 'here') => {
      setView({ lab: next });
      urlSync.write(how);
    },
    [setView, urlSync],
  );
  const go = useCallback(
    (to: number) => show({ ...lab, round: Math.min(Math.max(to, 0), last) }, 'here'),
    [show, lab, last],
  );
  const byHand = (to: number) => {
    setPlaying(false);
    go(to);
  };
  const toggle = () => {
    if (!playing && position >= last) go(0);
    setPlaying(!playing);
  };
  useEffect(() => {
    if (!playing || !seen) return;
    if (position >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => go(position + 1), PACE_MS);
    return () => clearTimeout(timer);
  }, [playing, seen, position, last, go]);

  const keys = useRef<(event: KeyboardEvent) => void>(() => undefined);
  keys.current = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKey(event.target, event.key)) return;
    const acts: Readonly<Record<string, () => void>> = {
      '.': () => byHand(position + 1),
      ',': () => byHand(position - 1),
      Home: () => byHand(0),
      End: () => byHand(last),
      ' ': toggle,
    };
    const act = lookup(acts, event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => keys.current(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);

  const fallsBack =
    result !== undefined && result.algorithm !== lab.algorithm && result.request.algorithm === lab.algorithm;
  return (
    <div
      ref={root}
      className={styles['body']}
      data-bare={hide.has('setup') || undefined}
      data-unseen={!seen || undefined}
    >
      <h1 className={styles['title']}>
        {OP_WORDS[lab.type]} <span>by {ALGORITHM_WORDS[result?.algorithm ?? lab.algorithm]}</span>
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
            {turnsAsGloo(result) && (
              <details className={styles['note']}>
                <summary>{RING_SHORT}</summary>
                <p>{RING_WHY}</p>
              </details>
            )}
            {fallsBack && (
              <p className={styles['note']}>
                {ALGORITHM_WORDS[lab.algorithm]} does not know {OP_WORDS[lab.type]}: {ALGORITHM_WORDS[result.algorithm]}{' '}
                runs.
              </p>
            )}
            {result.length !== lab.length && result.request.length === lab.length && (
              <p className={styles['note']}>
                {OP_WORDS[lab.type]} cuts the buffer into {lab.ranks} equal parts, so each rank brings {result.length}{' '}
                elements.
              </p>
            )}
            <LabTransport result={result} position={position} playing={playing} go={byHand} toggle={toggle} />
            <Figure result={result} position={position} />
            <StateTable result={result} position={position} />
            {!hide.has('timeline') && <Ports result={result} position={position} go={byHand} />}
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
