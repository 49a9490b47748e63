/** Tensors as blocks of a flow: a matrix, token rows of sample 1, the channels of an image, a vector. */
import type { Rect } from '../../draw/geometry';
import { activationWindow, matrixWindow } from '../matrix-window';
import type { DrawnOperand } from './drawn';
import type { FlowBlock } from './flow';
import type { Sketch } from './sketch';
import { cellsOf, channelCells, imagesOf, imageWords, knownChannels } from './tensors';

/** A name for narrow places: its first word, or δ for a gradient that flows back. */
const shortName = (name: string): string =>
  /^(δ|gradient|part \d+ of the grad)/.test(name) ? 'δ' : (name.split(/[\s.,]/)[0] ?? '');

/** A tensor with its name above it; `name` is the one in the moment's sentence. */
export function blockOf(sketch: Sketch, operand: DrawnOperand, name: string, crop: number): FlowBlock {
  const images = imagesOf(operand);
  if (images && operand.shape.length === 4 && operand.category !== 'parameter' && operand.category !== 'gradient') {
    const shown = Math.min(4, Math.max(1, knownChannels(images)));
    const across = shown > 1 ? 2 : 1;
    const down = Math.ceil(shown / across);
    return {
      rows: down * images.rows,
      columns: across * images.columns,
      texts: [`${name}, ${imageWords(images, shown)}`, name, shortName(name)],
      draw(rect) {
        const gap = 2;
        const width = (rect.width - gap * (across - 1)) / across;
        const height = (rect.height - gap * (down - 1)) / down;
        for (let c = 0; c < shown; c++) {
          const at = { x: rect.x + (c % across) * (width + gap), y: rect.y + Math.floor(c / across) * (height + gap) };
          sketch.map(operand, { ...at, width, height }, channelCells(images, c), `channel ${c} of sample 1`);
        }
      },
    };
  }
  const { shape, category } = operand;
  const rowwise = category === 'activation' || category === 'data';
  const window = rowwise ? activationWindow(shape, crop) : matrixWindow(shape, crop);
  const note = window.label === '' ? '' : `, ${window.label}`;
  // A vector is drawn as a row.
  const lies = shape.length === 1;
  const cells = lies
    ? { offset: 0, stride: window.rows, rows: 1, columns: window.rows }
    : { ...cellsOf(window), columns: window.columns };
  return {
    rows: cells.rows * window.unit,
    columns: cells.columns * window.unit,
    stretches: window.unit === 1 && !window.tiles,
    texts: [`${name}, ${shape.join(' × ')}${note}`, `${name}${note}`, name, shortName(name)],
    draw: (rect: Rect) => sketch.map(operand, rect, cells),
  };
}
