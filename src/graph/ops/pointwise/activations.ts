/**
 * The activations of torch.nn.functional as rows of the table of unary functions: formulas, slopes, CPU loops. gelu
 * is in its own file.
 */
import { sigmoid } from '../../float-functions';
import { numeric, type Unary } from './unary';

const f = Math.fround;

export const ACTIVATIONS: readonly Unary[] = [
  {
    // max(x, 0); the slope at 0 is 0, NaN passes through both.
    name: 'ops/relu',
    code: 0,
    flops: [1, 1],
    saved: 'output',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) {
        const v = x[i] as number;
        y[i] = v <= 0 ? 0 : v;
      }
    },
    gradient(dy, y, dx) {
      for (let i = 0; i < dx.length; i++) dx[i] = (y[i] as number) <= 0 ? 0 : (dy[i] as number);
    },
  },
  {
    // dx = dy (1 - y^2)
    name: 'ops/tanh',
    code: 1,
    flops: [8, 3],
    saved: 'output',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = Math.tanh(x[i] as number);
    },
    gradient(dy, y, dx) {
      for (let i = 0; i < dx.length; i++) {
        const v = y[i] as number;
        dx[i] = (dy[i] as number) * f(1 - f(v * v));
      }
    },
  },
  {
    // 1 / (1 + e^-x); dx = dy (1 - y) y
    name: 'ops/sigmoid',
    code: 2,
    flops: [6, 3],
    saved: 'output',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = 1 / f(1 + f(Math.exp(-(x[i] as number))));
    },
    gradient(dy, y, dx) {
      for (let i = 0; i < dx.length; i++) {
        const v = y[i] as number;
        dx[i] = f((dy[i] as number) * f(1 - v)) * v;
      }
    },
  },
  {
    // x where x > 0, else negativeSlope x
    name: 'ops/leaky-relu',
    code: 5,
    params: (attrs) => [numeric(attrs.negativeSlope, 0.01), 0],
    flops: [2, 2],
    saved: 'input',
    forward(x, y, { p: slope }) {
      const s = f(slope);
      for (let i = 0; i < y.length; i++) {
        const v = x[i] as number;
        y[i] = v > 0 ? v : v * s;
      }
    },
    gradient(dy, x, dx, { p: slope }) {
      const s = f(slope);
      for (let i = 0; i < dx.length; i++) dx[i] = (x[i] as number) > 0 ? (dy[i] as number) : (dy[i] as number) * s;
    },
  },
  {
    // x where x > 0, else alpha (e^x - 1)
    name: 'ops/elu',
    code: 6,
    params: (attrs) => [numeric(attrs.alpha, 1), 0],
    flops: [8, 8],
    saved: 'input',
    forward(x, y, { p: alpha }) {
      const a = f(alpha);
      for (let i = 0; i < y.length; i++) {
        const v = x[i] as number;
        y[i] = v <= 0 ? f(Math.expm1(v)) * a : v;
      }
    },
    gradient(dy, x, dx, { p: alpha }) {
      const a = f(alpha);
      for (let i = 0; i < dx.length; i++) {
        const v = x[i] as number;
        dx[i] = v <= 0 ? f((dy[i] as number) * a) * f(Math.exp(v)) : (dy[i] as number);
      }
    },
  },
  {
    // x s(x) with s the sigmoid; dx = dy s (1 + x (1 - s))
    name: 'ops/silu',
    code: 7,
    flops: [7, 10],
    saved: 'input',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) {
        const v = x[i] as number;
        y[i] = v * sigmoid(v);
      }
    },
    gradient(dy, x, dx) {
      for (let i = 0; i < dx.length; i++) {
        const v = x[i] as number;
        const s = sigmoid(v);
        dx[i] = f((dy[i] as number) * s) * f(1 + f(v * f(1 - s)));
      }
    },
  },
  {
    // log(1 + e^(beta x)) / beta, and x itself where beta x is over the threshold
    name: 'ops/softplus',
    code: 8,
    params: (attrs) => [numeric(attrs.beta, 1), numeric(attrs.threshold, 20)],
    flops: [12, 8],
    saved: 'input',
    forward(x, y, { p, q: threshold }) {
      const beta = f(p);
      for (let i = 0; i < y.length; i++) {
        const v = x[i] as number;
        const b = f(v * beta);
        y[i] = b > threshold ? v : f(Math.log1p(f(Math.exp(b)))) / beta;
      }
    },
    gradient(dy, x, dx, { p, q: threshold }) {
      const beta = f(p);
      for (let i = 0; i < dx.length; i++) {
        const b = f((x[i] as number) * beta);
        const d = dy[i] as number;
        const z = f(Math.exp(b));
        dx[i] = b > threshold ? d : f(d * z) / f(z + 1);
      }
    },
  },
];
