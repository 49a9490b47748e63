/**
 * torch.sub, div, maximum, and dropout with a given mask, which no layer uses: rows of the table of binary functions.
 */
import { at } from '../../../base/invariant';
import type { GradientContext, ValueId } from '../../op';
import type { Binary } from './binary';
import { numeric } from './unary';

const f = Math.fround;

const ofDy = (c: GradientContext, op: string, inputs: readonly ValueId[], i: number): ValueId | undefined =>
  c.emit(op, inputs, {}, [i])[0];

export const MORE_ARITHMETIC: readonly Binary[] = [
  {
    name: 'ops/sub',
    code: 1,
    stretch({ data: y, at: yAt }, { data: a, at: aAt, step: aStep }, { data: b, at: bAt, step: bStep }, n) {
      for (let i = 0; i < n; i++) y[yAt + i] = (a[aAt + i * aStep] as number) - (b[bAt + i * bStep] as number);
    },
    gradients: [
      { code: 0, saves: false, slope: (dy) => dy, direct: (_, dy) => dy },
      { code: 1, saves: false, slope: (dy) => -dy, direct: (c, dy) => ofDy(c, 'ops/neg', [dy], 1) },
    ],
  },
  {
    name: 'ops/div',
    code: 3,
    stretch({ data: y, at: yAt }, { data: a, at: aAt, step: aStep }, { data: b, at: bAt, step: bStep }, n) {
      for (let i = 0; i < n; i++) y[yAt + i] = (a[aAt + i * aStep] as number) / (b[bAt + i * bStep] as number);
    },
    gradients: [
      {
        code: 4,
        saves: true,
        slope: (dy, _, b) => f(dy / b),
        direct: (c, dy) => ofDy(c, 'ops/div', [dy, c.input(1)], 0),
      },
      { code: 5, saves: true, slope: (dy, a, b) => f(-dy * f(f(a / b) / b)) },
    ],
  },
  {
    // The larger operand gets the gradient, at ties each operand gets half; if either is NaN, both get it.
    name: 'ops/maximum',
    code: 4,
    stretch({ data: y, at: yAt }, { data: a, at: aAt, step: aStep }, { data: b, at: bAt, step: bStep }, n) {
      for (let i = 0; i < n; i++) {
        const [v, w] = [a[aAt + i * aStep] as number, b[bAt + i * bStep] as number];
        y[yAt + i] = Number.isNaN(v) || v > w ? v : w;
      }
    },
    gradients: [
      { code: 6, saves: true, slope: (dy, a, b) => (a < b ? 0 : a === b ? dy / 2 : dy) },
      { code: 7, saves: true, slope: (dy, a, b) => (b < a ? 0 : a === b ? dy / 2 : dy) },
    ],
  },
  {
    // torch.nn.functional.dropout with a given mask of zeros and ones, attr p. y = x (mask / (1 - p)); the gradient has
    // the same form.
    name: 'ops/dropout',
    code: 5,
    param: ({ p }) => f(1 / (1 - numeric(p, 0.5))),
    stretch({ data: y, at: yAt }, { data: a, at: aAt, step: aStep }, { data: b, at: bAt, step: bStep }, n, scale) {
      for (let i = 0; i < n; i++)
        y[yAt + i] = (a[aAt + i * aStep] as number) * f((b[bAt + i * bStep] as number) * scale);
    },
    gradients: [
      {
        code: 2,
        saves: true,
        slope: (dy, _, mask) => dy * mask,
        direct: (c, dy) => at(c.emit('ops/dropout', [dy, c.input(1)], c.types.attrs, [0]), 0),
      },
    ],
  },
];
