/** The name of a quantity in the table below a figure: its label with its argument, `loss, step 40`. */
import { moduleWords } from '../../trace/words';
import { QUANTITIES, type QuantityId, quantityOf } from './quantities';

/** Quantities whose argument is a rank. */
const OF_A_RANK: ReadonlySet<QuantityId> = new Set([
  'localRank',
  'groupRank',
  'lossOfRank',
  'rowsRead',
  'rowsSeen',
  'peakLive',
]);

const OF_A_LAYER: ReadonlySet<QuantityId> = new Set(['gradients', 'zeroGradients', 'infiniteGradients']);

export function labelOf(text: string): string {
  const asked = quantityOf(text);
  if (!asked) return text;
  const { label } = QUANTITIES[asked.id];
  if (asked.argument === '') return label;
  if (asked.id === 'loss') return `${label}, step ${asked.argument}`;
  if (asked.id === 'bucketBytes') return `bytes of bucket ${asked.argument}`;
  if (OF_A_LAYER.has(asked.id)) return `${label}, ${moduleWords(asked.argument)}`;
  if (asked.id === 'bytesAlong') return `${label} along ${asked.argument}`;
  if (asked.id === 'spread') return `${label}, ${asked.argument}`;
  if (asked.id === 'element') {
    const [rank = '', buffer = '', index = ''] = asked.argument.split('/', 3);
    return `${buffer}[${index}], rank ${rank}`;
  }
  return `${label}, ${OF_A_RANK.has(asked.id) ? 'rank ' : 'cuda:'}${asked.argument}`;
}
