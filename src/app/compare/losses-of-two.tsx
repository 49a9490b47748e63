/** The losses of both runs in one plot, told apart by colour and by the kind of line, and as a table. */
import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { must } from '../../base/invariant';
import { formatCount, formatLoss } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { AppContexts, useAppStore, usePalette, useSettled } from '../state/use-app';
import styles from './compare.module.css';
import { createDuoPlot } from './duo-plot';
import { joinLosses, type LossesOfBoth } from './join-losses';
import type { Comparison } from './use-comparison';

const EVERY_MS = 250;
const TABLE_ROWS = 10;

export function LossesOfTwo({ comparison }: { comparison: Comparison }) {
  const first = useAppStore();
  const palette = usePalette();
  return (
    <AppContexts services={comparison.services} palette={palette}>
      <Losses first={first} />
    </AppContexts>
  );
}

/** Under run B's provider, whose changes come with each step of it; run A is at the same step. */
function Losses({ first }: { first: ReturnType<typeof useAppStore> }) {
  const ofB = useSettled((app) => app.losses, EVERY_MS);
  const ofA = useStore(first, (app) => app.losses);
  const accumulateA = useStore(first, (app) => app.info?.config.accumulate ?? 1);
  const accumulateB = useSettled((app) => app.info?.config.accumulate ?? 1, EVERY_MS);
  const both = useMemo(
    () => joinLosses({ losses: ofA, accumulate: accumulateA }, { losses: ofB, accumulate: accumulateB }),
    [ofA, ofB, accumulateA, accumulateB],
  );
  return (
    <figure className={styles['losses']}>
      <h3>Loss over steps</h3>
      <Plot both={both} />
      <figcaption>
        <span data-run="A">
          <i /> run A
        </span>
        <span data-run="B">
          <i /> run B
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
