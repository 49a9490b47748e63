/** Loss over steps, per rank and mean, training and test: the chart, fed by React and drawn outside it, and its table. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { must } from '../../base/invariant';
import { useApp, usePalette, useSettled } from '../use-app';
import type { LossPlot } from './loss-plot';
import { lossSeries } from './loss-series';
import { LossTable } from './loss-table';
import styles from './result.module.css';

const EVERY_MS = 150;

export function LossChart() {
  const host = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const losses = useSettled((app) => app.losses, EVERY_MS);
  const evaluations = useSettled((app) => app.evaluations, EVERY_MS);
  const accumulate = useApp((app) => app.info?.config.accumulate ?? 1);
  const series = useMemo(() => lossSeries(losses, evaluations, accumulate), [losses, evaluations, accumulate]);
  const ranks = series.perRank.length;
  const [plot, setPlot] = useState<LossPlot>();
  // One loss is no curve: the chart's library stays out of the first load.
  const curve = losses.length > 1;
  useEffect(() => {
    if (!curve) return;
    let made: LossPlot | undefined;
    let gone = false;
    import('./loss-plot')
      .then(({ createLossPlot }) => {
        if (gone) return;
        made = createLossPlot(must(host.current, 'loss chart'), palette, ranks);
        setPlot(made);
      })
      // Without the chart its table still tells everything.
      .catch(() => undefined);
    return () => {
      gone = true;
      setPlot(undefined);
      made?.destroy();
    };
  }, [palette, ranks, curve]);
  useEffect(() => plot?.show(series), [plot, series]);
  return (
    <figure className={styles['loss']}>
      <div ref={host} className={styles['plot']} aria-hidden="true" />
      <figcaption>
        {ranks > 0 ? (
          <>
            loss, {ranks} ranks and <b>mean</b>
          </>
        ) : (
          <b>loss</b>
        )}
        {series.test.some((value) => value !== null) && (
          <>
            , <em>test</em>
          </>
        )}
      </figcaption>
      <LossTable series={series} />
    </figure>
  );
}
