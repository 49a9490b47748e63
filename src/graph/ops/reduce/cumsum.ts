/**
 * y_k = x_0 + ... + x_k along attr `dim`, as torch.cumsum; with attr `reverse` from the end, as its gradient needs. One
 * accumulator per line, in order.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { OpDef } from '../../op';
import { lineOf } from './extent';

export const cumsum: OpDef = {
  name: 'reduce/cumsum',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    lineOf(shape, attrs);
    return [{ shape, dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { attrs } = c.types;
    return c.emit('reduce/cumsum', [dy], { ...attrs, reverse: attrs.reverse !== true }, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const [x, y] = [at(inputs, 0), at(outputs, 0)];
    const { outer, n, inner } = lineOf(at(inputTypes, 0).shape, attrs);
    const reverse = attrs.reverse === true;
    for (let line = 0; line < outer * inner; line++) {
      const start = Math.floor(line / inner) * n * inner + (line % inner);
      let j = reverse ? start + (n - 1) * inner : start;
      let total = 0; // torch's CPU kernel accumulates in double too
      for (let k = 0; k < n; k++, j += reverse ? -inner : inner) {
        total += x[j] as number;
        y[j] = total;
      }
    }
  },
  lower(types) {
    const { outer, n, inner } = lineOf(at(types.inputs, 0).shape, types.attrs);
    const constants = { REVERSE: types.attrs.reverse === true ? 1 : 0 };
    return [dense('reduce/cumsum', types, [outer, n, inner], grid(outer * inner), constants)];
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};
