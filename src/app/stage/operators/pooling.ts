/**
 * Pooling: the channels before, cut into windows, and after. For max pooling a dot marks each window's maximum, the
 * only element that receives δ in backward; the trace has its index.
 */
import { formatValue } from '../../draw/canvas-numbers';
import type { Rect } from '../../draw/geometry';
import { channelTiles } from './channel-tiles';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, divided, footed } from './places';
import type { Sketch } from './sketch';
import { type Images, imagesOf, pairOf } from './tensors';

/** Dots and window lines are drawn only if a pixel is at least this large. */
const MARKED = 3.2;
const MOST_MARKED = 4;

export const pooling: OperatorPicture = {
  name: 'pooling',
  operators: [
    'conv/max-pool2d',
    'conv/max-pool2d-grad',
    'conv/avg-pool2d',
    'conv/avg-pool2d-grad',
    'conv/adaptive-avg-pool2d',
    'conv/adaptive-avg-pool2d-grad',
  ],
  shows:
    'the windows on each channel, the largest element of each window as a dot, and the smaller channels of the result',
  draw(operation, sketch) {
    const { event, reads, writes, area, detail } = operation;
    const backward = event.phase === 'backward';
    const before = imagesOf(reads[0]);
    const after = imagesOf(writes[0]);
    if (!before || !after) return;
    const words = detail !== 'least';
    const { foot, body } = footed(area, detail === 'full');
    const shares = body.width >= body.height ? ([1.25, 1] as const) : ([1.3, 1] as const);
    const places = divided(body, backward ? [...shares].reverse() : shares, 22);
    const [first = body, second = body] = places;
    const [ins, outs] = [captioned(first, words), captioned(second, words)];
    const most = detail === 'full' ? 4 : detail === 'some' ? 2 : 1;
    const { tiles: inTiles, words: inWords } = channelTiles(sketch, before, ins.body, most);
    const { tiles: outTiles } = channelTiles(sketch, after, outs.body, most);
    const index = [...reads, ...writes].find(({ buffer }) => buffer.startsWith('conv/max-pool2d.'));
    const large = backward ? { images: after, tiles: outTiles } : { images: before, tiles: inTiles };
    const pooled = backward ? before : after;
    lines(sketch, large.images, large.tiles.slice(0, MOST_MARKED), pooled, operation);
    if (index) winners(sketch, large.images, large.tiles.slice(0, MOST_MARKED), index, pooled);
    if (body.width >= body.height) sketch.sign('→', first.x + first.width + 11, body.y + body.height / 2 + 5);
    const name = backward ? ['δ of the output', 'δ of the input'] : ['input', 'output'];
    if (words) {
      sketch.word(ins.caption, [
        `${name[0]}, ${inWords}`,
        `${name[0]}, ${before.rows} × ${before.columns}`,
        name[0] ?? '',
        backward ? 'δ' : 'in',
      ]);
      sketch.word(
        outs.caption,
        [`${name[1]}, ${after.rows} × ${after.columns}`, name[1] ?? '', backward ? 'δ' : 'out'],
        {
          tone: 'ink',
        },
      );
    }
    sketch.word(foot, backward ? BACK[index ? 'max' : 'mean'] : FORTH[index ? 'max' : 'mean']);
    const value = after.operand.values?.[0];
    sketch.say(
      `${event.name}: ${before.rows} × ${before.columns} become ${after.rows} × ${after.columns} per channel${value === undefined ? ', not computed yet' : `; the first value is ${formatValue(value)}`}`,
    );
  },
};

const FORTH = {
  max: ['dot: the largest value of its window, which is the output', 'dots: the largest of each window'],
  mean: ['the mean of each window is the output'],
} as const;
const BACK = {
  max: ['δ goes to the winner of each window; all others get 0', 'δ goes to the winners alone'],
  mean: ['δ is shared by all elements of a window'],
} as const;

function lines(sketch: Sketch, images: Images, tiles: readonly Rect[], pooled: Images, { layer }: Operation): void {
  const [tile] = tiles;
  if (!tile || tile.width / images.columns < MARKED) return;
  const plain = layer?.type === 'MaxPool2d' || layer?.type === 'AvgPool2d';
  const kernel = plain
    ? pairOf(layer.kernel, 1)
    : ([images.rows / pooled.rows, images.columns / pooled.columns] as const);
  const stride = plain ? pairOf(layer.stride, 0) : kernel;
  const [down, across] = [stride[0] || kernel[0], stride[1] || kernel[1]];
  const pad = plain ? pairOf(layer.padding, 0) : ([0, 0] as const);
  for (const own of tiles) {
    const [w, h] = [own.width / images.columns, own.height / images.rows];
    for (let y = down - pad[0]; y < images.rows; y += down)
      sketch.line(
        [
          { x: own.x, y: own.y + y * h },
          { x: own.x + own.width, y: own.y + y * h },
        ],
        'card',
        { width: 1.2 },
      );
    for (let x = across - pad[1]; x < images.columns; x += across)
      sketch.line(
        [
          { x: own.x + x * w, y: own.y },
          { x: own.x + x * w, y: own.y + own.height },
        ],
        'card',
        { width: 1.2 },
      );
  }
}

function winners(sketch: Sketch, images: Images, tiles: readonly Rect[], index: DrawnOperand, pooled: Images): void {
  const [tile] = tiles;
  const size = pooled.rows * pooled.columns;
  if (!tile || !index.values || tile.width / images.columns < MARKED) return;
  tiles.forEach((own, c) => {
    const [w, h] = [own.width / images.columns, own.height / images.rows];
    const won = index.values?.subarray(c * size, (c + 1) * size) ?? new Float32Array();
    if (won.length < size) return;
    const point = (at: number) => ({
      x: own.x + ((at % images.columns) + 0.5) * w,
      y: own.y + (Math.floor(at / images.columns) + 0.5) * h,
    });
    // If all elements of a window are 0, the first counts as the maximum, which needs no dot.
    const values = pooled.operand.values?.subarray(c * size, (c + 1) * size);
    const points = [...won].flatMap((at, i) => (values && values[i] === 0 ? [] : [point(at)]));
    sketch.dots(points, Math.max(1, Math.min(3, 0.22 * w)), 'accent');
  });
}
