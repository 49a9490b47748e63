/**
 * torch.chunk: cuts a tensor along attr `dim` into at most `chunks` pieces of equal size, except that the last may be
 * smaller. One output per piece, so that q, k and v are one node with one gradient. 5 rows in 4 chunks give 2, 2, 1.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import type { Shape } from '../../../tensor/shape';
import { denseStrides, dimOf } from '../../dims';
import type { Attrs, OpDef } from '../../op';
import { moveOp } from './moves';

function piecesOf(shape: Shape, attrs: Attrs) {
  const dim = dimOf(attrs, shape.length, 0);
  const chunks = Number(attrs.chunks);
  if (!(chunks > 0)) throw new LockstepError('shape', `chunk expects \`chunks\` to be greater than 0, got: ${chunks}`);
  const total = at(shape, dim);
  const size = Math.ceil(total / chunks);
  return Array.from({ length: Math.ceil(total / size) }, (_, k) => ({
    sizes: shape.with(dim, Math.min(size, total - k * size)),
    start: shape.map((_, d) => (d === dim ? k * size : 0)),
  }));
}

export const chunk: OpDef = moveOp({
  name: 'shape/chunk',
  infer(inputs, attrs) {
    const { shape, dtype } = at(inputs, 0);
    return piecesOf(shape, attrs).map(({ sizes }) => ({ shape: sizes, dtype }));
  },
  gradient(c) {
    if (!c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    const used = piecesOf(shape, c.types.attrs).flatMap((piece, k) => {
      const dy = c.outputGrad(k);
      return dy === undefined ? [] : [{ ...piece, dy }];
    });
    return c.emit(
      'shape/place',
      used.map(({ dy }) => dy),
      { shape, sizes: used.flatMap(({ sizes }) => sizes), start: used.flatMap(({ start }) => start) },
      [0],
    );
  },
  plan({ inputs, attrs }) {
    const { shape } = at(inputs, 0);
    const fromStrides = denseStrides(shape);
    const moves = piecesOf(shape, attrs).map(({ sizes, start }, output) => ({
      input: 0,
      output,
      sizes,
      from: start.reduce((sum, v, d) => sum + v * at(fromStrides, d), 0),
      fromStrides,
      to: 0,
      toStrides: denseStrides(sizes),
    }));
    return { moves };
  },
});
