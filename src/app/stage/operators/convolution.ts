/**
 * A convolution: the channels of the input, the filter of one output channel, and the resulting feature maps. A frame
 * marks the window where that output channel is strongest: the framed pixel is the sum of the window times the filter.
 */
import { plural } from '../../../base/plural';
import { formatValue } from '../../draw/canvas-numbers';
import { bottom, type Rect, right } from '../../draw/geometry';
import { channelTiles } from './channel-tiles';
import { convolutionBackward } from './convolution-backward';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, divided, footed, tileGrid } from './places';
import type { Sketch } from './sketch';
import { type Images, imagesOf, pairOf } from './tensors';

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
    if (operation.event.phase === 'backward') convolutionBackward(operation, sketch);
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
