/**
 * A bucket being filled or emptied: on one side its parameters' gradients, on the other the flat buffer with one
 * stretch per gradient, lines between the stretches, and a ribbon from each gradient to its stretch. With
 * gradient_as_bucket_view the gradients are views of the buffer, and the picture says so. Flat buffers of coalesced
 * broadcasts and sums are drawn in the same way. stretches.ts finds the stretches; bucket-band.ts lays out the buffer's
 * cells.
 */

import { CAPTURE_LIMIT } from '../../../protocol/trace';
import { bottom, type Rect, right } from '../../draw/geometry';
import { matrixWindow } from '../matrix-window';
import { bandOf } from './bucket-band';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, LINE, rows } from './places';
import type { Sketch } from './sketch';
import { type FlatBuffer, flatBufferOf, type ParameterStretch } from './stretches';
import { cellsOf } from './tensors';

export const bucket: OperatorPicture = {
  name: 'bucket',
  operators: ['ddp/pack', 'ddp/unpack', 'comm/flatten', 'comm/unflatten', 'comm/scale'],
  shows: 'the gradients of a bucket, and the flat buffer with the part that belongs to each gradient',
  draw(operation, sketch) {
    const flat = flatBufferOf(operation);
    if (!flat) return;
    if (flat.way === 'views' && operation.event.bucket === undefined) {
      inPlace(operation, sketch, flat);
      return;
    }
    const { area, detail } = operation;
    const stands = area.height > 1.1 * area.width;
    const words = wordsOf(flat, operation);
    if (detail === 'least') {
      const { caption, body } = captioned(area, area.height > 70 && area.width > 40);
      sketch.word(caption, words.short, { tone: 'ink' });
      drawBand(sketch, flat, body, stands);
    } else if (stands) {
      const { caption, body } = captioned(area);
      const [tensors = body, band = body] = columns(body, [1, 1], RIBBON);
      const [left = caption, other = caption] = columns(caption, [1, 1], RIBBON);
      sketch.word(left, words.tensors, { tone: flat.way === 'into' ? 'soft' : 'ink' });
      sketch.word(other, words.buffer, { tone: flat.way === 'out of' ? 'soft' : 'ink' });
      ribbons(sketch, flat, drawTensors(sketch, flat, tensors, true), drawBand(sketch, flat, band, true), true);
    } else {
      const [above = area, low = area] = rows(area, [1.15, 1], RIBBON);
      const foot = captioned({ ...low, y: bottom(low) - LINE, height: LINE }).caption;
      sketch.word(foot, words.buffer, { tone: flat.way === 'out of' ? 'soft' : 'ink' });
      const band = drawBand(sketch, flat, { ...low, height: low.height - LINE - 5 }, false);
      ribbons(sketch, flat, drawTensors(sketch, flat, above, false), band, false);
    }
    say(operation, sketch, flat);
  },
};

/** Draws gradients that have no flat buffer, each by itself. */
function inPlace({ area, detail, event }: Operation, sketch: Sketch, flat: FlatBuffer): void {
  const { caption, body } = captioned(area, detail !== 'least');
  const many = flat.stretches.length;
  if (detail !== 'least')
    sketch.word(
      caption,
      [`${many === 1 ? 'the gradient' : `${many} gradients`}, scaled in place`, 'scaled in place', '× factor'],
      { tone: 'ink' },
    );
  drawTensors(sketch, flat, body, area.height > 1.1 * area.width);
  sketch.say(`${event.name}: ${flat.stretches.map(({ name }) => name).join(', ')}, multiplied in place`);
}

/** The width between the gradients and the buffer. */
const RIBBON = 22;

interface Words {
  readonly tensors: readonly string[];
  readonly buffer: readonly string[];
  readonly short: readonly string[];
}

/** The picture's words, longest first. */
function wordsOf({ way, length, stretches, buffer, divisor }: FlatBuffer, { event }: Operation): Words {
  const name = event.bucket === undefined ? (buffer?.name ?? 'the buffer') : `bucket ${event.bucket}`;
  if (way === 'views')
    return {
      tensors: ['.grad'],
      buffer: [`${name}: each .grad is a view of it, so nothing is copied`, `${name}: .grad is a view`, name],
      short: ['views'],
    };
  const gradients = stretches.every(({ tensor }) => !tensor || tensor.category === 'gradient');
  const what = gradients ? '.grad' : 'tensors';
  const by = divisor > 1 ? ` ÷ ${divisor}` : '';
  const whole = `${name}, one flat buffer of ${length} elements`;
  return {
    tensors: way === 'into' ? [what] : [`back into ${what}`, what],
    buffer: [by === '' ? whole : `${whole}, each${by}`, `${name}, ${length} elements${by}`, `${name}${by}`, name],
    short: way === 'into' ? [`copied${by}`, by] : [`into ${what}`, what],
  };
}

/** 'weight' of 'blocks.0.fc1.weight'. */
const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const labelOf = (name: string): readonly string[] => {
  const last = lastOf(name);
  const parts = name.split('.');
  return [name, parts.slice(-2).join('.'), last, last.charAt(0)];
};

/** Draws each stretch as a map, all in one frame, with lines between the stretches. */
function drawBand(sketch: Sketch, flat: FlatBuffer, area: Rect, stands: boolean): readonly Rect[] {
  const { stretches } = flat;
  // A trace captures no more elements of a gradient.
  const lengths = stretches.map(({ length }) => Math.min(length, CAPTURE_LIMIT));
  const { places, borders } = bandOf(area, lengths, stands);
  places.forEach(({ rect, shown, rows: high, columns: wide }, i) => {
    const stretch = stretches[i];
    if (!stretch) return;
    const { offset, length, held, copied } = stretch;
    const part =
      shown < length ? `first ${shown} of ${length} elements` : `elements ${offset} to ${offset + length - 1}`;
    const cells = { offset: held?.offset ?? 0, stride: wide, rows: high, columns: wide, count: shown };
    const made = flat.way !== 'out of';
    if (held) sketch.map({ ...held.operand, made }, rect, cells, `${stretch.name}: ${part}`);
    else
      sketch.derived(
        `stretch ${stretch.name}`,
        {
          title: `${stretch.name} in ${flat.buffer?.name ?? 'the buffer'}`,
          values: copied,
          end: (flat.buffer ?? stretch.tensor)?.end ?? 1,
          shape: [length],
          facts: [['shown', part]],
          made,
        },
        rect,
        cells,
      );
    if (shown < length) cutMark(sketch, rect, stands);
  });
  for (const at of borders)
    sketch.line(
      stands
        ? [
            { x: area.x - 3, y: at },
            { x: right(area) + 3, y: at },
          ]
        : [
            { x: at, y: area.y - 3 },
            { x: at, y: bottom(area) + 3 },
          ],
      'ink',
      { width: 1.2 },
    );
  return places.map(({ rect }) => (stands ? { ...rect, width: area.width } : { ...rect, height: area.height }));
}

/** Marks a stretch that is longer than its shown elements. */
function cutMark(sketch: Sketch, rect: Rect, stands: boolean): void {
  const path = stands
    ? [
        { x: rect.x, y: bottom(rect) },
        { x: right(rect), y: bottom(rect) },
      ]
    : [
        { x: right(rect), y: rect.y },
        { x: right(rect), y: bottom(rect) },
      ];
  sketch.line(path, 'soft', { width: 2, dash: [2, 2] });
}

interface Placed {
  readonly stretch: number;
  readonly rect: Rect;
}

const CROPS = [16, 12, 8, 6, 4];
const LEGIBLE = 3;
const SPACE = 6;

/** Draws the gradients in the order of the buffer, as many as fit. */
function drawTensors(sketch: Sketch, { stretches }: FlatBuffer, area: Rect, stands: boolean): readonly Placed[] {
  const own = stretches.flatMap(({ tensor }, stretch) => (tensor ? [{ tensor, stretch }] : []));
  for (let count = own.length; count > 0; count--) {
    const shown = own.slice(0, count);
    for (const crop of CROPS) {
      const made = shown.map(({ tensor }) => windowOf(tensor.shape, crop, stands));
      const [along, across] = stands
        ? [made.map((w) => w.rows), made.map((w) => w.columns)]
        : [made.map((w) => w.columns), made.map((w) => w.rows)];
      const label = LINE;
      const free = stands ? area.height - count * label - SPACE * (count - 1) : area.width - SPACE * (count - 1);
      const thick = stands ? area.width : area.height - label;
      const total = along.reduce((a, b) => a + b, 0);
      const cell = Math.min(24, free / total, thick / Math.max(...across));
      if (cell < LEGIBLE && !(count === 1 && crop === 4)) continue;
      const gap = SPACE + Math.max(0, (free - cell * total) / count);
      let at = (stands ? area.y : area.x) + (gap - SPACE) / 2;
      return shown.map(({ tensor, stretch }, i): Placed => {
        const window = made[i];
        const rows = window?.rows ?? 1;
        const wide = window?.columns ?? 1;
        const size = { width: wide * cell, height: rows * cell };
        const rect = stands
          ? { x: right(area) - size.width, y: at + label, ...size }
          : { x: at, y: bottom(area) - size.height, ...size };
        const texts = labelOf(stretches[stretch]?.name ?? '');
        const wordAt = stands
          ? { x: area.x, y: at, width: area.width, height: LINE }
          : { x: at, y: rect.y - LINE, width: Math.min(size.width + gap - 3, right(area) - at), height: LINE };
        sketch.word(wordAt, texts, stands ? { align: 'right' } : {});
        if (window) sketch.map(tensor, rect, window.cells);
        at += (stands ? label + size.height : size.width) + gap;
        return { stretch, rect };
      });
    }
  }
  return [];
}

/** A vector is a row if gradients are below each other, and a column if they are side by side. */
function windowOf(shape: readonly number[], crop: number, stands: boolean) {
  const window = matrixWindow(shape, crop);
  if (shape.length === 1 && stands)
    return {
      rows: 1,
      columns: window.rows,
      cells: { offset: 0, stride: window.rows, rows: 1, columns: window.rows },
    };
  return { rows: window.rows, columns: window.columns, cells: cellsOf(window) };
}

/** Draws a ribbon from each gradient to its stretch. */
function ribbons(
  sketch: Sketch,
  flat: FlatBuffer,
  tensors: readonly Placed[],
  band: readonly Rect[],
  stands: boolean,
): void {
  for (const { stretch, rect } of tensors) {
    const to = band[stretch];
    if (!to) continue;
    const path = stands
      ? [
          { x: right(rect) + 2, y: rect.y },
          { x: to.x - 2, y: to.y },
          { x: to.x - 2, y: bottom(to) },
          { x: right(rect) + 2, y: bottom(rect) },
        ]
      : [
          { x: rect.x, y: bottom(rect) + 2 },
          { x: to.x, y: to.y - 2 },
          { x: right(to), y: to.y - 2 },
          { x: right(rect), y: bottom(rect) + 2 },
        ];
    sketch.area(path, flat.way === 'views' ? 'soft' : 'gradient', stretch % 2 === 0 ? 0.34 : 0.18);
  }
}

const range = ({ offset, length }: ParameterStretch): string =>
  length === 1 ? `element ${offset}` : `elements ${offset} to ${offset + length - 1}`;

function say({ event }: Operation, sketch: Sketch, { way, stretches, divisor, length }: FlatBuffer): void {
  const places = stretches.map((s) => `${s.name} is ${range(s)}${s.tensor ? '' : ' (no gradient: zeros)'}`).join(', ');
  const what =
    way === 'views'
      ? 'each .grad is a view of the bucket, nothing is copied'
      : way === 'into'
        ? `copied into one flat buffer${divisor > 1 ? `, each gradient divided by ${divisor}` : ''}`
        : 'copied back out of the flat buffer';
  sketch.say(`${event.name}: ${what}; of ${length} elements ${places}`);
}
