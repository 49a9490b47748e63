/**
 * The evidence that a parallel mode does not change the maths, or the cause if it does: the difference between the run
 * and one device over the steps, beside a control, which is one device whose weights start one unit in the last place
 * away. Shows a verdict in words, both curves, and a table.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { must } from '../../../base/invariant';
import { usePalette } from '../../draw/canvas-context';
import { formatCount, formatSmall } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { SavePicture } from '../../picture/save-button';
import { isCompared } from '../../state/difference-history';
import { useApp, useSettled } from '../../state/use-app';
import styles from '../result.module.css';
import { namedCause } from './difference-cause';
import { growthFigure } from './growth-figure';
import { createGrowthPlot, type GrowthPlot } from './growth-plot';
import { judge, pairsOf } from './growth-words';
import { useControl } from './use-control';

const EVERY_MS = 150;

export function GrowthPanel() {
  const own = useSettled((app) => app.differences, EVERY_MS);
  const config = useApp((app) => app.info?.config);
  const { progress, failed } = useControl();
  const last = own.at(-1)?.step ?? 0;
  // After a Reset the control is ahead of the run, so later values are left out.
  const control = useMemo(() => (progress?.differences ?? []).filter(({ step }) => step <= last), [progress, last]);
  const verdict = judge(own, control, config && namedCause(config));
  const behind = progress !== undefined && progress.step < last;
  return (
    <figure className={styles['growth']}>
      <p role="status" aria-live="off" aria-label="What the control proves" data-verdict={verdict.verdict}>
        {verdict.text}
      </p>
      <Plot own={own} control={control} />
      <figcaption>
        <span>
          <i data-line="own" />
          this run against one device
        </span>
        <span>
          <i data-line="control" />
          control: one device against itself, all weights moved up by one unit in the last place (about 1e-7 of each)
        </span>
      </figcaption>
      <p>
        {failed ?? (behind ? `The control is at step ${formatCount(progress.step)} of ${formatCount(last)}. ` : '')}
        max |Δw| over all weights, logarithmic. The control trains one device twice, only while this is open; the run is
        slower meanwhile, by half at most.
      </p>
      <SavePicture name="growth" what="how the difference grows" figure={growthFigure(own, control)} />
      <GrowthTable own={own} control={control} />
    </figure>
  );
}

type Lists = Pick<Parameters<GrowthPlot['show']>, 0 | 1>;

function Plot({ own, control }: { readonly own: Lists[0]; readonly control: Lists[1] }) {
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const [plot, setPlot] = useState<GrowthPlot>();
  useEffect(() => {
    const made = createGrowthPlot(must(host.current, 'a place for the chart'), palette);
    setPlot(made);
    return () => {
      setPlot(undefined);
      made.destroy();
    };
  }, [palette]);
  useEffect(() => {
    plot?.show(own, control);
  }, [plot, own, control]);
  return <div ref={host} className={styles['growthPlot']} aria-hidden="true" />;
}

function GrowthTable({ own, control }: { readonly own: Lists[0]; readonly control: Lists[1] }) {
  const start = own[0]?.step ?? 0;
  const newest = own.at(-1)?.step;
  const rows = pairsOf(own, control).filter(
    ({ step }) => step > start && (isCompared(step - start) || step === newest),
  );
  return (
    <details>
      <summary>As a table</summary>
      <table>
        <ColumnHeads names={['step', 'this run', 'control']} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.step}>
              <th scope="row">{formatCount(row.step)}</th>
              <td>{formatSmall(row.own)}</td>
              <td>{formatSmall(row.control)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
