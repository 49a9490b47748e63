/** The decision field, or the plot of predicted against target, as a figure to save. */
import { FIELD_SIZE } from '../../protocol/snapshot';
import { formatCount, formatPercent } from '../draw/format';
import type { SavedFigure } from '../picture/figure-picture';
import { paintResult } from './paint-field';

const SIZE = 480;

export const FIELD_FIGURE: SavedFigure = {
  async picture({ info, snapshot }) {
    if (!info || !snapshot) return undefined;
    const { dataset } = info;
    const small = document.createElement('canvas');
    small.width = FIELD_SIZE;
    small.height = FIELD_SIZE;
    const right =
      snapshot.trainAccuracy === undefined
        ? ''
        : `; ${formatPercent(snapshot.trainAccuracy)} of the training rows right`;
    const what =
      dataset.points.length > 0 ? 'the output of the net at each point of the plane' : 'predicted over target';
    return {
      width: SIZE,
      height: SIZE,
      paint: ({ context, palette }) => paintResult({ context, size: SIZE, palette, dataset }, snapshot, small),
      caption: (run) => `${run}, after ${formatCount(snapshot.step)} steps: ${what}${right}.`,
    };
  },
};
