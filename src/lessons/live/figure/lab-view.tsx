/** A figure of the lab: what happens in the round, and the buffers of all ranks. */
import { useRef } from 'react';
import { useSize } from '../../../app/draw/use-surface';
import { Figure } from '../../../app/lab/figure';
import { figureLayout } from '../../../app/lab/figure-layout';
import { labSentence } from '../../../app/lab/lab-sentence';
import { StateTable } from '../../../app/lab/state-table';
import { useApp } from '../../../app/state/use-app';
import type { LabResult } from '../../../protocol/lab';
import { hueOf } from './lit-room';
import { useFigure, useFigureState } from './use-figure';
import styles from './views.module.css';

export function LabView() {
  const result = useFigureState((state) => state.lab);
  const round = useApp((app) => app.lab?.round ?? 0);
  const { id } = useFigure();
  const pressed = useFigureState((state) => state.pressed.length > 0);
  if (!result) return null;
  const position = Math.min(round, result.rounds.length);
  return (
    <>
      <p className={styles['sentence']} aria-live={pressed ? 'polite' : 'off'}>
        {labSentence(result, position)}
      </p>
      <div className={styles['lab']} data-view="lab">
        <Figure result={result} position={position} label={`Buffers of the ranks, figure ${id}`} />
        <LitRow result={result} />
        <StateTable result={result} position={position} />
      </div>
    </>
  );
}

/** The row of the rank that a word of the text means. */
function LitRow({ result }: { readonly result: LabResult }) {
  const rank = useFigureState((state) => state.lit?.rank);
  const anchor = useRef<HTMLDivElement>(null);
  const { width } = useSize(anchor);
  const layout = figureLayout(result, Math.max(280, width));
  const y = rank === undefined ? undefined : layout.rows[rank];
  const host = anchor.current?.parentElement?.querySelector('section');
  return (
    <>
      <div ref={anchor} />
      {y !== undefined && rank !== undefined && host && (
        <div
          className={styles['row']}
          data-lit-rank={rank}
          style={{
            left: host.offsetLeft - 5,
            top: host.offsetTop + y - 4,
            width: Math.min(width, layout.width) + 10,
            height: layout.tileHeight + 8,
            ...hueOf(rank),
          }}
        />
      )}
    </>
  );
}
