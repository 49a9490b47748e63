/**
 * torch.exp, log, abs, neg, clamp and the powers as rows of the table of unary functions: slopes and CPU loops, with
 * torch's results at 0, infinity and NaN.
 */
import { numeric, type Unary } from './unary';

const f = Math.fround;

export const POWERS: readonly Unary[] = [
  {
    name: 'ops/exp',
    code: 9,
    flops: [4, 1],
    saved: 'output',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = Math.exp(x[i] as number);
    },
    gradient(dy, y, dx) {
      for (let i = 0; i < dx.length; i++) dx[i] = (dy[i] as number) * (y[i] as number);
    },
  },
  {
    // The slope at 0 is 0, and 0 for NaN, as torch.sign gives it.
    name: 'ops/abs',
    code: 10,
    flops: [1, 1],
    saved: 'input',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = Math.abs(x[i] as number);
    },
    gradient(dy, x, dx) {
      for (let i = 0; i < dx.length; i++) {
        const v = x[i] as number;
        dx[i] = v > 0 ? (dy[i] as number) : v < 0 ? -(dy[i] as number) : 0;
      }
    },
  },
  {
    name: 'ops/square',
    code: 11,
    flops: [1, 2],
    saved: 'input',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = (x[i] as number) * (x[i] as number);
    },
    gradient(dy, x, dx) {
      for (let i = 0; i < dx.length; i++) dx[i] = (dy[i] as number) * (2 * (x[i] as number));
    },
  },
  {
    name: 'ops/log',
    code: 13,
    flops: [4, 1],
    saved: 'input',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = Math.log(x[i] as number);
    },
    gradient(dy, x, dx) {
      for (let i = 0; i < dx.length; i++) dx[i] = (dy[i] as number) / (x[i] as number);
    },
  },
  {
    name: 'ops/sqrt',
    code: 14,
    flops: [2, 2],
    saved: 'output',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = Math.sqrt(x[i] as number);
    },
    gradient(dy, y, dx) {
      for (let i = 0; i < dx.length; i++) dx[i] = (dy[i] as number) / (2 * (y[i] as number));
    },
  },
  {
    name: 'ops/rsqrt',
    code: 17,
    flops: [3, 4],
    saved: 'output',
    forward(x, y) {
      for (let i = 0; i < y.length; i++) y[i] = 1 / f(Math.sqrt(x[i] as number));
    },
    gradient(dy, y, dx) {
      for (let i = 0; i < dx.length; i++) {
        const v = y[i] as number;
        dx[i] = f(-0.5 * (dy[i] as number)) * f(f(v * v) * v);
      }
    },
  },
  {
    // x^exponent; dx = dy exponent x^(exponent - 1), 0 where the exponent is 0.
    name: 'ops/pow',
    code: 15,
    params: (attrs) => [numeric(attrs.exponent, 2), 0],
    flops: [10, 12],
    saved: 'input',
    forward(x, y, { p: exponent }) {
      for (let i = 0; i < y.length; i++) y[i] = (x[i] as number) ** exponent;
    },
    gradient(dy, x, dx, { p: exponent }) {
      for (let i = 0; i < dx.length; i++)
        dx[i] = exponent === 0 ? 0 : (dy[i] as number) * f(exponent * f((x[i] as number) ** (exponent - 1)));
    },
  },
  {
    // Both bounds included, either may be absent; the slope outside is 0, and 0 for NaN.
    name: 'ops/clamp',
    code: 16,
    params: (attrs) => [numeric(attrs.min, Number.NEGATIVE_INFINITY), numeric(attrs.max, Number.POSITIVE_INFINITY)],
    flops: [2, 2],
    saved: 'input',
    forward(x, y, { p: min, q: max }) {
      for (let i = 0; i < y.length; i++) {
        const v = x[i] as number;
        y[i] = v > max ? max : v < min ? min : v;
      }
    },
    gradient(dy, x, dx, { p, q }) {
      const [min, max] = [f(p), f(q)];
      for (let i = 0; i < dx.length; i++) {
        const v = x[i] as number;
        dx[i] = v >= min && v <= max ? (dy[i] as number) : 0;
      }
    },
  },
];
