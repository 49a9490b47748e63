/** Loss over steps, per rank and mean, training and test: the chart, drawn outside React, and its table. */
import { useCallback, useMemo, useState } from 'react';
import { loadedPanel } from '../boundary/loaded-panel';
import { SavePicture } from '../picture/save-button';
import { useApp, useSettled } from '../state/use-app';
import { LossAxes } from './loss-axes';
import { LOSS_FIGURE } from './loss-figure';
import { lossSeries } from './loss-series';
import { LossTable } from './loss-table';
import styles from './result.module.css';

// One loss is not a curve, so the chart's library is not part of the first load.
const LossPlotView = loadedPanel('The loss chart', async () => (await import('./loss-plot-view')).LossPlotView);

const EVERY_MS = 150;

export function LossChart() {
  const losses = useSettled((app) => app.losses, EVERY_MS);
  const evaluations = useSettled((app) => app.evaluations, EVERY_MS);
  const accumulate = useApp((app) => app.info?.config.accumulate ?? 1);
  const lines = useApp((app) => app.info?.lossLines);
  const series = useMemo(
    () => lossSeries(losses, evaluations, accumulate, lines),
    [losses, evaluations, accumulate, lines],
  );
  const curved = losses.length > 1;
  const [isThere, setIsThere] = useState(false);
  const onThere = useCallback(() => setIsThere(true), []);
  return (
    <figure className={styles['loss']}>
      <div className={styles['plot']}>
        {/* The axes stay until the plot's code is loaded. */}
        {!(curved && isThere) && <LossAxes first={losses[0]} perPart={series.perPart} step={series.steps[0] ?? 0} />}
        {curved && <LossPlotView series={series} onThere={onThere} />}
      </div>
      <figcaption>
        {series.perPart[0] ? (
          <>
            loss, {series.perPart.length} {series.perPart[0].title.replace(/ .*/, 's')} and <b>mean</b>
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
      <div className={styles['tools']}>
        <LossTable series={series} />
        <SavePicture name="loss" what="the losses" figure={LOSS_FIGURE} />
      </div>
    </figure>
  );
}
