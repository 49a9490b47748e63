/**
 * torch.add and mul, as rows of the table of binary functions: slopes and CPU loops. The others are in
 * more-arithmetic.ts.
 */
import type { Binary } from './binary';

const f = Math.fround;

export const ARITHMETIC: readonly Binary[] = [
  {
    name: 'ops/add',
    code: 0,
    stretch({ data: y, at: yAt }, { data: a, at: aAt, step: aStep }, { data: b, at: bAt, step: bStep }, n) {
      for (let i = 0; i < n; i++) y[yAt + i] = (a[aAt + i * aStep] as number) + (b[bAt + i * bStep] as number);
    },
    gradients: [
      { code: 0, saves: false, slope: (dy) => dy, direct: (_, dy) => dy },
      { code: 0, saves: false, slope: (dy) => dy, direct: (_, dy) => dy },
    ],
  },
  {
    name: 'ops/mul',
    code: 2,
    stretch({ data: y, at: yAt }, { data: a, at: aAt, step: aStep }, { data: b, at: bAt, step: bStep }, n) {
      for (let i = 0; i < n; i++) y[yAt + i] = (a[aAt + i * aStep] as number) * (b[bAt + i * bStep] as number);
    },
    gradients: [
      {
        code: 2,
        saves: true,
        slope: (dy, _, b) => f(dy * b),
        direct: (c, dy) => c.emit('ops/mul', [dy, c.input(1)], {}, [0])[0],
      },
      {
        code: 3,
        saves: true,
        slope: (dy, a) => f(dy * a),
        direct: (c, dy) => c.emit('ops/mul', [dy, c.input(0)], {}, [1])[0],
      },
    ],
  },
];
