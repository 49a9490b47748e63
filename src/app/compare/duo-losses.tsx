/** The losses of two runs in one plot, with different colours and line styles, and as a table. */
import { useEffect, useRef } from 'react';
import { must } from '../../base/invariant';
import { usePalette } from '../draw/canvas-context';
import { formatCount, formatLoss } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import styles from './compare.module.css';
import { createDuoPlot } from './duo-plot';
import type { LossesOfBoth } from './join-losses';

const TABLE_ROWS = 10;

interface DuoLossesProps {
  readonly both: LossesOfBoth;
  /** The names of the two lines. */
  readonly names: readonly [string, string];
}

export function DuoLosses({ both, names: [a, b] }: DuoLossesProps) {
  return (
    <figure className={styles['losses']}>
      <h3>Loss over steps</h3>
      <Plot both={both} />
      <figcaption>
        <span data-run="A">
          <i /> {a}
        </span>
        <span data-run="B">
          <i /> {b}
        </span>
      </figcaption>
      <LossTable both={both} />
    </figure>
  );
}

function Plot({ both }: { both: LossesOfBoth }) {
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const plot = useRef<ReturnType<typeof createDuoPlot>>(undefined);
  const shown = useRef(both);
  shown.current = both;
  useEffect(() => {
    const made = createDuoPlot(must(host.current, 'a place for the losses'), palette);
    made.show(shown.current);
    plot.current = made;
    return () => {
      plot.current = undefined;
      made.destroy();
    };
  }, [palette]);
  useEffect(() => {
    plot.current?.show(both);
  }, [both]);
  return <div ref={host} aria-hidden="true" />;
}

function LossTable({ both: { steps, a, b } }: { both: LossesOfBoth }) {
  const stride = Math.max(1, Math.ceil(steps.length / TABLE_ROWS));
  const rows = steps.map((_, index) => index).filter((i) => i % stride === 0 || i === steps.length - 1);
  return (
    <details className={styles['twin']}>
      <summary>Losses as a table</summary>
      <table>
        <ColumnHeads names={['step', 'A', 'B']} />
        <tbody>
          {rows.map((index) => (
            <tr key={steps[index]}>
              <th scope="row">{formatCount(steps[index] ?? 0)}</th>
              <td>{formatLoss(a[index] ?? undefined)}</td>
              <td>{formatLoss(b[index] ?? undefined)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
