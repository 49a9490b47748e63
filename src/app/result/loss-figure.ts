/** The loss chart as a figure to save: its picture, and its numbers. */
import { loadPart } from '../../base/load-part';
import { formatCount, formatLoss } from '../draw/format';
import type { SavedFigure } from '../picture/figure-picture';
import type { App } from '../state/app-state';
import { lossSeries } from './loss-series';
import { lossesCsv } from './losses-csv';

const accumulateOf = ({ info, config }: App): number => (info?.config ?? config).accumulate;

export const LOSS_FIGURE: SavedFigure = {
  async picture(app) {
    if (app.losses.length < 2) return undefined;
    const { LOSS_PICTURE, paintLosses } = await loadPart('The picture of the losses', () => import('./loss-picture'));
    const series = lossSeries(app.losses, app.evaluations, accumulateOf(app), app.info?.lossLines);
    const taken = Math.floor(series.steps.at(-1) ?? 0);
    const noun = series.perPart[0]?.title.replace(/ .*/, 's');
    const key = noun === undefined ? '' : `; thin lines are the ${noun}, the thick one their mean`;
    return {
      ...LOSS_PICTURE,
      paint: (ink) => paintLosses(ink, series, LOSS_PICTURE),
      caption: (run) =>
        `${run}: loss over ${taken === 1 ? 'one step' : `${formatCount(taken)} steps`}, ${formatLoss(app.losses.at(-1)?.loss)} at the end${key}.`,
    };
  },
  csv: (app) => lossesCsv(app.losses, app.evaluations, accumulateOf(app), app.info?.lossLines),
};
