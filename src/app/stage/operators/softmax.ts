/** Softmax and its logarithm: each row's scores, and the probabilities computed from them, which add up to 1. */
import { plural } from '../../../base/plural';
import { formatValue } from '../../draw/canvas-numbers';
import { bottom, type Rect } from '../../draw/geometry';
import type { OperatorPicture } from './operator-picture';
import { captioned, columns, footed, rows as stackedIn } from './places';
import { rowsOf } from './tensors';

const ROW = { least: 7, most: 26 };

export const softmax: OperatorPicture = {
  name: 'softmax',
  operators: ['ops/softmax', 'ops/softmax-grad', 'ops/log-softmax', 'ops/log-softmax-grad'],
  shows: 'the scores of each row, and the probabilities computed from them',
  draw({ event, reads, writes, area, detail }, sketch) {
    const [x] = reads;
    const [y] = writes;
    if (!x || !y) return;
    const backward = event.phase === 'backward';
    const log = event.name.includes('log');
    const words = detail !== 'least';
    const { foot, body } = footed(area, detail === 'full');
    const { caption, body: at } = captioned(body, words);
    const { rows: total, columns: width, known } = rowsOf(x);
    const shown = Math.max(1, Math.min(total, known, Math.floor(at.height / ROW.least)));
    // In a high and narrow area the result is below the scores.
    const stacked = !words && at.height > 1.5 * at.width;
    const places = stacked ? stackedIn(at, [1, 1], 22) : columns(at, [1, 1], 26);
    const [left = at, right = at] = places;
    const height = Math.min(ROW.most, left.height / shown);
    const across = Math.min(width, Math.max(1, Math.floor(left.width / 2)));
    const cells = { offset: 0, stride: width, rows: shown, columns: across };
    const inPlace = (place: Rect): Rect => {
      const high = shown * height;
      return { ...place, y: place.y + (place.height - high) / 2, height: high };
    };
    sketch.map(x, inPlace(left), cells);
    const probabilities = !backward && !log;
    sketch.map(y, inPlace(right), probabilities ? { ...cells, end: 1 } : cells);
    if (stacked) sketch.sign('↓', left.x + left.width / 2, bottom(left) + 16);
    else sketch.sign('→', left.x + left.width + 13, left.y + left.height / 2 + 5);
    if (words) {
      sketch.word({ ...caption, x: left.x, width: left.width }, backward ? ['δ of the output', 'δ'] : ['scores', 'in']);
      const made = backward
        ? ['δ of the scores', 'δ']
        : log
          ? ['log-probabilities', 'out']
          : ['probabilities, rows add up to 1', 'probabilities'];
      sketch.word({ ...caption, x: right.x, width: right.width }, made, { tone: 'ink' });
    }
    sketch.word(foot, shown < total ? [`rows 0 to ${shown - 1} of ${total}`] : [plural(total, 'row')]);
    const first = y.values?.[0];
    sketch.say(
      first === undefined
        ? `${event.name}: not computed yet`
        : `${event.name}: row 0 begins with ${formatValue(x.values?.[0] ?? Number.NaN)}, which becomes ${formatValue(first)}`,
    );
  },
};
