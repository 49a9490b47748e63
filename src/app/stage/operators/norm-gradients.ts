/**
 * Draws the gradients of weight and bias in a normalisation's backward: as cells, and as bars to the left or right of
 * zero. Called by norm.ts.
 */
import { castOf } from '../../../trace/buffer-words';
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import type { Operation } from './operator-picture';
import { columns } from './places';
import type { Sketch } from './sketch';
import { mostOf, product } from './tensors';

export function parameterGradients({
  writes,
}: Operation): { readonly weight: DrawnOperand; readonly bias: DrawnOperand | undefined } | undefined {
  const weight = writes.find(({ buffer }) => castOf(buffer).endsWith('weight.grad'));
  return weight && { weight, bias: writes.find(({ buffer }) => castOf(buffer).endsWith('bias.grad')) };
}

export function gradientBars(
  sketch: Sketch,
  { weight, bias }: { readonly weight: DrawnOperand; readonly bias: DrawnOperand | undefined },
  at: {
    readonly place: Rect;
    readonly top: number;
    readonly height: number;
    readonly count: number;
    readonly words: boolean;
  },
): void {
  const halves = columns(at.place, bias ? [1, 1] : [1], 12);
  [weight, bias].forEach((operand, i) => {
    const place = halves[i];
    if (!operand || !place) return;
    const shown = Math.min(at.count, product(operand.shape));
    const cell = { ...place, y: at.top, width: Math.min(46, place.width * 0.45), height: at.height * shown };
    sketch.map(operand, cell, { offset: 0, stride: 1, rows: shown, columns: 1 });
    const wide = place.width - cell.width - 8;
    const middle = cell.x + cell.width + 8 + wide / 2;
    sketch.line(
      [
        { x: middle, y: at.top },
        { x: middle, y: at.top + cell.height },
      ],
      'line',
    );
    const most = mostOf(operand.values?.subarray(0, shown) ?? []) || 1;
    for (let g = 0; g < shown; g++) {
      const value = operand.values?.[g];
      if (value === undefined || !Number.isFinite(value)) continue;
      const reach = ((Math.abs(value) / most) * wide) / 2;
      sketch.box(
        {
          x: value < 0 ? middle - reach : middle,
          y: at.top + (g + 0.22) * at.height,
          width: Math.max(1, reach),
          height: at.height * 0.56,
        },
        { fill: value < 0 ? 'negative' : 'positive' },
      );
    }
  });
}
