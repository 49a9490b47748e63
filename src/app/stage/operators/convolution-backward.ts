/**
 * A convolution in backward: δ and the input give each filter's gradient, or δ and the filters give the input's
 * gradient. Called by convolution.ts.
 */
import { plural } from '../../../base/plural';
import { castOf } from '../../../trace/buffer-words';
import { kernelWords } from '../../../trace/words';
import { type Rect, right } from '../../draw/geometry';
import { activationWindow, matrixWindow } from '../matrix-window';
import { channelTiles } from './channel-tiles';
import type { DrawnOperand } from './drawn';
import type { Operation } from './operator-picture';
import { captioned, columns, footed } from './places';
import type { Sketch } from './sketch';
import { cellsOf, imagesOf } from './tensors';

export function convolutionBackward(operation: Operation, sketch: Sketch): void {
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
