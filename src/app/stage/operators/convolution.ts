/**
 * A convolution: the channels of the input, the filter of one output channel, and the resulting feature maps. A frame
 * marks the window where that output channel is strongest: the framed pixel is the sum of the window times the filter.
 * In backward, δ and the input give each filter's gradient, or δ and the filters give the input's gradient.
 */
import { plural } from '../../../base/plural';
import { castOf } from '../../../trace/buffer-words';
import { kernelWords } from '../../../trace/words';
import { formatValue } from '../../draw/canvas-numbers';
import { bottom, type Rect, right } from '../../draw/geometry';
import { activationWindow, matrixWindow } from '../matrix-window';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, divided, footed, tileGrid } from './places';
import type { Sketch } from './sketch';
import { cellsOf, channelCells, type Images, imagesOf, imageWords, knownChannels, onScale, pairOf } from './tensors';

interface Sizes {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly padding: readonly [number, number];
  readonly dilation: readonly [number, number];
}

function sizesOf({ layer }: Operation, filter: DrawnOperand): Sizes | undefined {
  if (layer?.type !== 'Conv2d') return undefined;
  const [, , kh = 1, kw = 1] = filter.shape;
  return {
    kernel: [kh, kw],
    stride: pairOf(layer.stride, 1),
    padding: paddingOf(layer.padding, [kh, kw], pairOf(layer.dilation, 1)),
    dilation: pairOf(layer.dilation, 1),
  };
}

/** 'same' puts the smaller half in front, as torch does. */
function paddingOf(
  padding: number | string | readonly number[],
  kernel: readonly [number, number],
  dilation: readonly [number, number],
): readonly [number, number] {
  if (typeof padding !== 'string') return pairOf(padding, 0);
  if (padding === 'valid') return [0, 0];
  return [Math.floor((dilation[0] * (kernel[0] - 1)) / 2), Math.floor((dilation[1] * (kernel[1] - 1)) / 2)];
}

interface Strongest {
  readonly channel: number;
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

/** The place of sample 1's largest output. */
function strongest(out: Images, channels: number): Strongest | undefined {
  const { values } = out.operand;
  if (!values) return undefined;
  const size = out.rows * out.columns;
  let best = -1;
  for (let i = 0; i < Math.min(values.length, channels * size); i++)
    if (best < 0 || Math.abs(values[i] ?? 0) > Math.abs(values[best] ?? 0)) best = i;
  if (best < 0) return undefined;
  const at = best % size;
  return {
    channel: Math.floor(best / size),
    row: Math.floor(at / out.columns),
    column: at % out.columns,
    value: values[best] ?? 0,
  };
}

/**
 * Draws the channels of sample 1 as tiles; returns the tiles' places, and words for which part of the batch they are.
 */
export function channelTiles(
  sketch: Sketch,
  images: Images,
  area: Rect,
  most = 16,
): { readonly tiles: readonly Rect[]; readonly words: string } {
  const { tiles } = tileGrid(area, Math.max(1, Math.min(most, knownChannels(images))), images);
  const { operand, note } = onScale(images.operand);
  for (const [c, tile] of tiles.entries())
    sketch.map(operand, tile, channelCells(images, c), `channel ${c} of sample 1`);
  return { tiles, words: `${imageWords(images, tiles.length)}${note}` };
}

export const convolution: OperatorPicture = {
  name: 'convolution',
  operators: [
    'conv/conv2d',
    'conv/conv1d',
    'conv/conv-transpose2d',
    'conv/conv2d-grad-params',
    'conv/conv2d-grad-input',
    'conv/channel-sums',
  ],
  shows:
    'the window on the input, the filter under the window, and the feature maps; in backward δ and the input beside the filters’ gradients',
  draw(operation, sketch) {
    if (operation.event.phase === 'backward') backward(operation, sketch);
    else forward(operation, sketch);
  },
};

function forward(operation: Operation, sketch: Sketch): void {
  const { reads, writes, area, detail } = operation;
  const input = imagesOf(reads[0]);
  const filter = reads.find(({ category, shape }) => category === 'parameter' && shape.length > 2);
  const output = imagesOf(writes[0]);
  if (!input || !filter || !output) return;
  const words = detail !== 'least';
  const { foot, body } = footed(area, detail === 'full');
  const small = body.width < 210 || detail === 'least';
  const places = small ? divided(body, [1, 1.3], 10) : columns(body, [1, 0.55, 1.45], 18);
  const [inAt, outAt] = [places[0] ?? body, places.at(-1) ?? body];
  const ins = captioned(inAt, words);
  const outs = captioned(outAt, words);
  const { tiles: inTiles, words: inWords } = channelTiles(sketch, input, ins.body, 8);
  const { tiles: outTiles, words: outWords } = channelTiles(sketch, output, outs.body);
  if (words) {
    sketch.word(ins.caption, [`input, ${inWords}`, `input, ${plural(input.channels, 'channel')}`, 'input']);
    sketch.word(outs.caption, [`feature maps, ${outWords}`, plural(output.channels, 'feature map'), 'output'], {
      tone: 'ink',
    });
  }
  const top = strongest(output, outTiles.length) ?? { channel: 0, row: 0, column: 0, value: Number.NaN };
  const there = output.operand.values !== undefined;
  const sizes = sizesOf(operation, filter);
  const kernelAt = small ? undefined : places[1];
  const pixel = there ? pixelOf(outTiles[top.channel], output, top) : undefined;
  const windows = there && sizes ? inTiles.map((tile) => windowOf(tile, input, sizes, top)) : [];
  if (kernelAt) {
    const kernel = captioned(kernelAt, words);
    const [, into = 1, kh = 1, kw = 1] = filter.shape;
    const known = Math.floor(
      ((filter.values?.length ?? Number.POSITIVE_INFINITY) - top.channel * into * kh * kw) / (kh * kw),
    );
    const shown = Math.max(0, Math.min(into, inTiles.length, known));
    const { tiles } = tileGrid(kernel.body, shown, { rows: kh, columns: kw }, { largest: 26 });
    for (const [i, tile] of tiles.entries())
      sketch.map(
        filter,
        tile,
        { offset: (top.channel * into + i) * kh * kw, stride: kw, rows: kh, columns: kw },
        `filter of output channel ${top.channel}, input channel ${i}`,
      );
    sketch.word(kernel.caption, [`filter ${top.channel}`, 'filter']);
    const [first] = tiles;
    const [window] = windows;
    const last = tiles.at(-1);
    if (first && window) rays(sketch, window, first);
    if (last && pixel)
      rays(
        sketch,
        pixel,
        { ...last, y: Math.min(...tiles.map((t) => t.y)), height: bottom(last) - Math.min(...tiles.map((t) => t.y)) },
        true,
      );
  }
  for (const window of windows) sketch.box(window, { stroke: 'accent', lineWidth: 1.5 });
  if (pixel) sketch.box(pixel, { stroke: 'accent', lineWidth: 1.5 });
  if (there)
    sketch.word(foot, [
      `window · filter ${top.channel}, summed, + bias = ${formatValue(top.value)}, the strongest value of these feature maps`,
      `window · filter ${top.channel} + bias = ${formatValue(top.value)}`,
    ]);
  else sketch.word(foot, ['each filter slides over all places of the input', 'filters slide over the input']);
  sketch.say(
    there
      ? `${operation.event.name}: ${output.channels} feature maps of ${output.rows} × ${output.columns}; the strongest value of sample 1 is ${formatValue(top.value)} in map ${top.channel}, row ${top.row}, column ${top.column}`
      : `${operation.event.name}: not computed yet`,
  );
}

/** The part of an input tile that the window covers, cut at the tile's edge. */
function windowOf(tile: Rect, input: Images, { kernel, stride, padding, dilation }: Sizes, at: Strongest): Rect {
  const cell = tile.width / input.columns;
  const span = (axis: 0 | 1, place: number, size: number): readonly [number, number] => {
    const from = place * stride[axis] - padding[axis];
    const to = from + (kernel[axis] - 1) * dilation[axis] + 1;
    return [Math.max(0, from), Math.min(size, to)];
  };
  const [top, low] = span(0, at.row, input.rows);
  const [left, end] = span(1, at.column, input.columns);
  return {
    x: tile.x + left * cell - 1,
    y: tile.y + top * (tile.height / input.rows) - 1,
    width: (end - left) * cell + 2,
    height: (low - top) * (tile.height / input.rows) + 2,
  };
}

function pixelOf(tile: Rect | undefined, out: Images, at: Strongest): Rect | undefined {
  if (!tile) return undefined;
  const [width, height] = [tile.width / out.columns, tile.height / out.rows];
  const least = Math.max(5, width + 2);
  const x = tile.x + (at.column + 0.5) * width - least / 2;
  return { x, y: tile.y + (at.row + 0.5) * height - least / 2, width: least, height: least };
}

/** Draws lines from the corners of one frame to the corners of another. */
function rays(sketch: Sketch, from: Rect, to: Rect, back = false): void {
  const x = back ? from.x : right(from);
  const end = back ? right(to) : to.x;
  for (const [a, b] of [
    [from.y, to.y],
    [bottom(from), bottom(to)],
  ] as const)
    sketch.line(
      [
        { x, y: a },
        { x: end, y: b },
      ],
      'accent',
      { alpha: 0.5 },
    );
}

function backward(operation: Operation, sketch: Sketch): void {
  const { reads, writes, area, detail } = operation;
  const result = writes[0];
  if (!result) return;
  const words = detail !== 'least';
  const { foot, body } = footed(area, detail === 'full');
  const delta = imagesOf(reads.find(({ buffer }) => buffer.endsWith('.grad')));
  const input = imagesOf(reads.find(({ buffer, category }) => !buffer.endsWith('.grad') && category !== 'parameter'));
  const ofFilter = castOf(result.buffer).endsWith('weight.grad');
  const [left, lead = body] = small(body) ? [undefined, body] : columns(body, [1, 1.2], 30);
  const resultAt = captioned(lead, words);
  if (ofFilter) {
    filters(sketch, result, resultAt.body);
    sketch.word(resultAt.caption, [`${result.name}, ${result.shape.join(' × ')}`, result.name, 'gradient'], {
      tone: 'ink',
    });
  } else {
    const images = imagesOf(result);
    if (!images) return;
    const { words: shown } = channelTiles(sketch, images, resultAt.body);
    sketch.word(resultAt.caption, [`δ of the input, ${shown}`, 'δ of the input', 'δ'], { tone: 'ink' });
  }
  if (!left) return;
  const operands = [input, delta].flatMap((images) => (images ? [images] : []));
  const places =
    left.height > 0.8 * left.width && operands.length > 1
      ? rowsOf(left)
      : columns(
          left,
          operands.map(() => 1),
          22,
        );
  operands.forEach((images, i) => {
    const place = captioned(places[i] ?? left, words);
    const { words: shown } = channelTiles(sketch, images, place.body, 8);
    const name = images === delta ? 'δ of the output' : 'input';
    sketch.word(place.caption, [
      `${name}, ${shown}`,
      `${name}, ${plural(images.channels, 'channel')}`,
      name,
      name.slice(0, images === delta ? 1 : 5),
    ]);
  });
  sketch.sign('→', right(left) + 15, body.y + body.height / 2 + 5);
  if (ofFilter)
    sketch.word(foot, [
      'each weight’s gradient: input × δ, summed over all places of its window and all samples',
      'gradient: input × δ, summed over places and samples',
      'Σ input × δ',
    ]);
  sketch.say(
    `${kernelWords(operation.event.name)} makes ${writes.map(({ name }) => name).join(', ')} from ${operands.map(({ operand }) => operand.name).join(' and ')}`,
  );
}

const small = (body: Rect): boolean => body.width < 190;

const rowsOf = (area: Rect): readonly Rect[] => {
  const height = (area.height - 10) / 2;
  return [
    { ...area, height },
    { ...area, y: area.y + height + 10, height },
  ];
};

const CROPS = [48, 36, 24, 18, 12, 8];

/** The gradients of all filters, as tiles. */
function filters(sketch: Sketch, result: DrawnOperand, area: Rect): void {
  let best = { window: matrixWindow(result.shape, 8), cell: 0 };
  for (const crop of CROPS) {
    const window = result.shape.length > 2 ? matrixWindow(result.shape, crop) : activationWindow(result.shape, crop);
    const cell = Math.min(area.width / window.columns, area.height / window.rows, 26);
    if (cell >= 4 || cell > best.cell * 1.5) {
      best = { window, cell };
      if (cell >= 4) break;
    }
  }
  const { window, cell } = best;
  const [width, height] = [window.columns * cell, window.rows * cell];
  const rect = { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
  sketch.map(result, rect, cellsOf(window), window.label === '' ? 'all filters' : window.label);
}
