/**
 * Clipping before the optimiser's step: the norm of all gradients beside its limit, or the limit per element, and below
 * that the layers' gradients at the cursor.
 */
import { castOf } from '../../../trace/buffer-words';
import { formatValue } from '../../draw/canvas-numbers';
import { formatTick } from '../../draw/format';
import { matrixGrid } from './matrix-grid';
import type { OperatorPicture } from './operator-picture';
import { LINE } from './places';
import { product } from './tensors';

export const clip: OperatorPicture = {
  name: 'clip',
  operators: ['optim/grad-norm', 'optim/clip-grad-norm', 'optim/clip-grad-value'],
  shows: 'the norm of all gradients as a bar beside its limit, and the gradients of the layers',
  draw(operation, sketch) {
    const { area, detail, info, together, event } = operation;
    // A gradient in half precision is clipped in a float32 copy.
    const buffers = [event, ...together].flatMap((e) => [...e.writes, ...e.reads].map(castOf));
    const norm = buffers
      .map((b) => operation.operand(b))
      .find((o) => o?.category === 'optimizer' && product(o.shape) === 1);
    const { clipGradNorm, clipGradValue } = info.config;
    const high = detail === 'least' ? 26 : 38;
    const bar = {
      x: area.x,
      y: area.y + LINE + 1,
      width: area.width,
      height: detail === 'least' ? 8 : 12,
    };
    if (norm && clipGradNorm !== undefined) {
      const made = { ...norm, made: true };
      const value = made.values?.[0];
      const most = Math.max(value ?? 0, clipGradNorm) * 1.08 || 1;
      const xOf = (v: number) => bar.x + (Math.min(v, most) / most) * bar.width;
      sketch.box(bar, { fill: 'track', radius: 2, below: true });
      if (value !== undefined && Number.isFinite(value)) {
        sketch.box({ ...bar, width: xOf(value) - bar.x }, { fill: 'gradient', alpha: 0.55, radius: 2 });
        if (value > clipGradNorm)
          sketch.box({ ...bar, width: xOf(clipGradNorm) - bar.x }, { fill: 'gradient', radius: 2 });
      }
      sketch.line(
        [
          { x: xOf(clipGradNorm), y: bar.y - 4 },
          { x: xOf(clipGradNorm), y: bar.y + bar.height + 4 },
        ],
        'ink',
        { width: 2 },
      );
      const factor = value === undefined || value <= clipGradNorm ? 1 : clipGradNorm / value;
      const told = factor < 1 ? `all gradients × ${formatTick(factor)}` : 'below the limit: nothing changes';
      sketch.word(
        { ...area, height: LINE },
        [
          value === undefined
            ? `norm of all gradients, limit ${formatTick(clipGradNorm)}`
            : `norm of all gradients ${formatValue(value)}, limit ${formatTick(clipGradNorm)}: ${told}`,
          value === undefined
            ? `limit ${formatTick(clipGradNorm)}`
            : `norm ${formatTick(value)}, limit ${formatTick(clipGradNorm)}`,
          ...(value === undefined ? [] : [`norm ${formatTick(value)}`]),
        ],
        { tone: 'ink' },
      );
      sketch.say(
        value === undefined
          ? 'the norm of all gradients is not computed yet'
          : `the norm of all gradients is ${formatValue(value)}, the limit ${formatTick(clipGradNorm)}: ${told}`,
      );
    } else if (clipGradValue !== undefined) {
      sketch.word(
        { ...area, height: LINE },
        [`each gradient is cut to ± ${formatTick(clipGradValue)}`, `± ${formatTick(clipGradValue)}`],
        { tone: 'ink' },
      );
      sketch.say(
        `each element of the gradients is cut to between −${formatTick(clipGradValue)} and ${formatTick(clipGradValue)}`,
      );
    }
    // The kernel that computes the norm reads the gradients, and the one that scales them writes them. Between them,
    // the ranks of a sharded run combine their norms.
    const gradients = new Map(buffers.flatMap((b) => operation.operand(b) ?? []).map((o) => [o.buffer, o] as const));
    matrixGrid(
      sketch,
      { ...area, y: area.y + high, height: area.height - high },
      [...gradients.values()].filter(({ category, shape }) => category === 'gradient' && shape.length > 1),
    );
  },
};
