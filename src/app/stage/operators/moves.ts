/**
 * Kernels that only move numbers, or sum some of them: input and output. Flattening shows which stretch of the row each
 * channel of sample 1 becomes; the others are drawn as tensor, arrow, tensor.
 */
import { plural } from '../../../base/plural';
import { kernelWords } from '../../../trace/words';
import { bottom } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import { flow } from './flow';
import { blockOf } from './flow-blocks';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, rows, tileGrid } from './places';
import type { Sketch } from './sketch';
import { channelCells, type Images, imagesOf, imageWords, knownChannels } from './tensors';

const MOVES = [
  'reshape',
  'permute',
  'transpose',
  'cat',
  'stack',
  'slice',
  'slice-grad',
  'place',
  'expand',
  'chunk',
  'gather',
  'scatter',
  'index-select',
  'index-select-grad',
  'pad',
];
const REDUCES = ['logsumexp', 'max', 'max-all', 'norm', 'var', 'cumsum'];
const COLLECTIVES = ['all-gather', 'all-reduce', 'identity', 'reduce-scatter', 'chunk'];
/** The kernels before and after a collective over pieces of a tensor. */
const PARTITION = ['pad', 'trim', 'join', 'blocks', 'place', 'own', 'first'];

export const moves: OperatorPicture = {
  name: 'moves',
  operators: [
    ...MOVES.map((name) => `shape/${name}`),
    ...REDUCES.flatMap((name) => [`reduce/${name}`, `reduce/${name}-grad`]),
    'ops/sum',
    'ops/sum-grad',
    'ops/where',
    'ops/masked-fill',
    'pointwise/chain',
    ...COLLECTIVES.map((name) => `collective/${name}`),
    ...PARTITION.map((name) => `partition/${name}`),
  ],
  shows: 'the tensor before and after; for Flatten, which part of the row each channel becomes',
  draw(operation, sketch) {
    const { event, reads, writes } = operation;
    const [result] = writes;
    const [source] = reads;
    if (!result || !source) return;
    const flattened = event.name === 'shape/reshape' ? flattening(source, result) : undefined;
    if (flattened) {
      flatten(operation, sketch, flattened);
      return;
    }
    const words = event.name === 'ops/sum' ? `Σ over ${summed(source, result)}` : kernelWords(event.name);
    const tensors = [...reads.slice(0, 2), result];
    const signs = [...tensors.slice(2).map(() => ','), `→ ${words}`];
    flow(
      sketch,
      operation.area,
      (crop) => tensors.map((operand) => blockOf(sketch, operand, operand.name, crop)),
      signs,
    );
    sketch.say(`${event.name}: ${source.shape.join(' × ')} becomes ${result.shape.join(' × ')}`);
  },
};

const summed = (source: DrawnOperand, result: DrawnOperand): string =>
  source.shape.length > result.shape.length ? plural(source.shape[0] ?? 1, 'sample') : 'rows';

interface Flattening {
  readonly images: Images;
  readonly row: DrawnOperand;
  /** Backward: from the row to the channels. */
  readonly back: boolean;
}

function flattening(source: DrawnOperand, result: DrawnOperand): Flattening | undefined {
  const [before, after] = [imagesOf(source), imagesOf(result)];
  if (before && result.shape.length === 2) return { images: before, row: result, back: false };
  if (after && source.shape.length === 2) return { images: after, row: source, back: true };
  return undefined;
}

/** The smallest size of a cell when elements are drawn in one line. */
const LEAST_CELL = 3;
const GAP = 16;

function flatten({ event, area, detail }: Operation, sketch: Sketch, { images, row, back }: Flattening): void {
  const words = detail !== 'least';
  const [above = area, below = area] = rows(area, [1.5, 1], 12);
  const top = captioned(above, words);
  const low = captioned(below, words);
  const shown = Math.max(1, Math.min(16, knownChannels(images)));
  const { tiles } = tileGrid(top.body, shown, images, { largest: 14 });
  for (const [c, tile] of tiles.entries())
    sketch.map(images.operand, tile, channelCells(images, c), `channel ${c} of sample 1`);
  // The row of sample 1, cut where channels end: one line of cells per channel, side by side as far as they fit.
  const size = images.rows * images.columns;
  const lines = Math.max(1, Math.min(shown, Math.floor(low.body.height / 9)));
  const perLine = Math.ceil(shown / lines);
  const width = (low.body.width - GAP * (perLine - 1)) / perLine;
  const columns = Math.min(size, Math.max(1, Math.floor(width / LEAST_CELL)));
  const height = Math.min(18, low.body.height / lines - 3);
  const places = tiles.map((_, c) => ({
    x: low.body.x + (c % perLine) * (width + GAP),
    y: low.body.y + Math.floor(c / perLine) * (height + 3),
    width,
    height,
  }));
  places.forEach((place, c) => {
    const known = row.values === undefined || (c + 1) * size <= row.values.length;
    if (known && height > 2)
      sketch.map(
        row,
        place,
        { offset: c * size, stride: columns, rows: 1, columns },
        `channel ${c} of sample 1, first ${columns} of ${size}`,
      );
    const tile = tiles[c];
    if (tile && lines === 1)
      sketch.line(
        [
          { x: tile.x + tile.width / 2, y: bottom(tile) + 2 },
          { x: place.x + place.width / 2, y: place.y - 3 },
        ],
        'line',
      );
  });
  const channels = `${plural(images.channels, 'channel')} of ${images.rows} × ${images.columns}`;
  if (words) {
    sketch.word(top.caption, [`${back ? 'δ, ' : ''}${channels}, ${imageWords(images, shown)}`, channels], {
      tone: back ? 'ink' : 'soft',
    });
    const whole = row.shape.at(-1) ?? 1;
    sketch.word(
      low.caption,
      [`${back ? 'from' : 'become'} one row of ${whole}: channel 0 first, then channel 1 …`, `one row of ${whole}`],
      { tone: back ? 'soft' : 'ink' },
    );
  }
  sketch.say(
    `${event.name}: ${channels} ${back ? 'come from' : 'become'} one row of ${row.shape.at(-1) ?? 1} per sample; no number changes`,
  );
}
