/**
 * The algorithms compared over sizes and over world sizes: two charts on one time scale, explanations of the
 * crossovers, and a table.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { must } from '../../base/invariant';
import type { LabCurve, LabCurves, LabResult } from '../../protocol/lab';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import { usePalette } from '../draw/canvas-context';
import { formatSize, formatTime } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { type CurveInput, createCurvePlot } from './curve-plot';
import { crossoverText, ncclText, neverText } from './curve-words';
import styles from './lab.module.css';
import { markOf, OP_WORDS } from './lab-words';

interface CurvesProps {
  readonly curves: LabCurves;
  readonly result: LabResult;
}

export function Curves({ curves, result }: CurvesProps) {
  const { request, algorithm, length } = result;
  const size = useMemo<CurveInput>(
    () => ({
      curves: curves.overBytes,
      over: 'bytes',
      chosen: algorithm,
      here: 4 * length,
      marks: curves.crossovers.map(({ bytes, timeUs }, i) => ({ x: bytes, y: timeUs, text: markOf(i) })),
    }),
    [curves, algorithm, length],
  );
  const ranks = useMemo<CurveInput>(
    () => ({ curves: curves.overRanks, over: 'ranks', chosen: algorithm, here: request.worldSize, marks: [] }),
    [curves, algorithm, request.worldSize],
  );
  return (
    <section className={styles['curves']} aria-label="Algorithms compared">
      <h2>{OP_WORDS[request.op]}: the algorithms compared, modelled on these links</h2>
      <div className={styles['pair']}>
        <Plot input={size} caption={`time over size, ${request.worldSize} ranks`} />
        <Plot input={ranks} caption={`time over ranks, ${formatSize(4 * length)} each`} />
      </div>
      <ul className={styles['why']}>
        {curves.crossovers.map((crossover, i) => (
          <li key={`${crossover.below.algorithm} ${crossover.above.algorithm} ${crossover.bytes}`}>
            <b>{markOf(i)}</b> {crossoverText(crossover)}
          </li>
        ))}
        {neverText(curves, algorithm).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {ncclText(curves).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <div className={styles['pair']}>
        <CurveTable
          curves={curves.overBytes}
          name="Over sizes, as a table"
          head="bytes"
          of={(p) => formatSize(p.bytes)}
        />
        <CurveTable
          curves={curves.overRanks}
          name="Over ranks, as a table"
          head="ranks"
          of={(p) => String(p.worldSize)}
        />
      </div>
    </section>
  );
}

function Plot({ input, caption }: { input: CurveInput; caption: string }) {
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const plot = createCurvePlot(must(host.current, 'a place for the chart'), palette, input);
    return () => plot.destroy();
  }, [palette, input]);
  return (
    <figure>
      <figcaption>{caption}</figcaption>
      <div ref={host} className={styles['plot']} aria-hidden="true" />
    </figure>
  );
}

interface CurveTableProps {
  readonly curves: readonly LabCurve[];
  readonly name: string;
  readonly head: string;
  readonly of: (point: LabCurve['points'][number]) => string;
}

function CurveTable({ curves, name, head, of }: CurveTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className={styles['tables']} tabIndex={0} aria-label={name}>
          <table>
            <ColumnHeads names={[head, ...curves.map(({ algorithm }) => ALGORITHMS[algorithm].short)]} />
            <tbody>
              {curves[0]?.points.map((point, i) => (
                <tr key={of(point)}>
                  <th scope="row">{of(point)}</th>
                  {curves.map(({ algorithm, points }) => (
                    <td key={algorithm}>{formatTime(points[i]?.timeUs ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
