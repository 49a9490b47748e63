/**
 * y = a + b, as torch.add; b has a's shape, or its trailing part, repeated over the leading rows (a bias). The gradient of a repeated b is
 * 'ops/add-grad-row': the sum of dy over the repetitions, in row order.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape, sameShape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { OpDef } from '../../op';

/** PyTorch's complaint about the last dimension in which the two shapes differ. */
function misfit(a: Shape, b: Shape): LockstepError {
  const shorter = Math.min(a.length, b.length);
  let k = 1;
  while (k < shorter && a.at(-k) === b.at(-k)) k++;
  const sizes = `The size of tensor a (${a.at(-k)}) must match the size of tensor b (${b.at(-k)})`;
  return new LockstepError('shape', `${sizes} at non-singleton dimension ${a.length - k}`);
}

export const add: OpDef = {
  name: 'ops/add',
  infer(inputs) {
    const a = at(inputs, 0).shape;
    const b = at(inputs, 1).shape;
    if (b.length > a.length || !sameShape(a.slice(a.length - b.length), b)) throw misfit(a, b);
    return [{ shape: a, dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const repeated = !sameShape(at(c.types.inputs, 0).shape, at(c.types.inputs, 1).shape);
    if (!repeated || !c.needsGrad(1)) return [dy, dy];
    const rank = at(c.types.inputs, 1).shape.length;
    return [dy, c.emit('ops/add-grad-row', [dy], { rank }, [1])[0]];
  },
  cpu({ inputs, outputs }) {
    const a = at(inputs, 0);
    const b = at(inputs, 1);
    const y = at(outputs, 0);
    const period = b.length;
    for (let start = 0; start < y.length; start += period) {
      for (let i = 0; i < period; i++) y[start + i] = (a[start + i] as number) + (b[i] as number);
    }
  },
  lower(types) {
    const n = elements(at(types.inputs, 0).shape);
    return [dense('ops/add', types, [n, elements(at(types.inputs, 1).shape)], grid(n))];
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};

export const addGradRow: OpDef = {
  name: 'ops/add-grad-row',
  infer: (inputs, attrs) => [{ shape: at(inputs, 0).shape.slice(-Number(attrs.rank)), dtype: 'f32' }],
  cpu({ inputs, outputs }) {
    const dy = at(inputs, 0);
    const db = at(outputs, 0);
    const columns = db.length;
    for (let c = 0; c < columns; c++) {
      let sum = 0;
      for (let i = c; i < dy.length; i += columns) sum = Math.fround(sum + (dy[i] as number));
      db[c] = sum;
    }
  },
  lower(types) {
    const columns = elements(at(types.outputs, 0).shape);
    return [dense('ops/add-grad-row', types, [elements(at(types.inputs, 0).shape) / columns, columns], grid(columns))];
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};
