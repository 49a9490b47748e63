/**
 * y = x Phi(x), as torch.nn.functional.gelu, exact (erf) or with attr approximate = 'tanh', and the gradients of both,
 * as a row of the table of unary functions. Saves x, as PyTorch does. The two differ by up to 5e-4: they are not
 * interchangeable. (1 + tanh(u)) / 2 is computed as the sigmoid of 2 u.
 */
import { expOfNegative, normalCdf, sigmoid } from '../../float-functions';
import type { Unary } from './unary';

const f = Math.fround;
const INV_SQRT_2PI = f(1 / Math.sqrt(2 * Math.PI));
const TWICE_BETA = f(2 * Math.sqrt(2 / Math.PI));
const KAPPA = f(0.044715);
const KAPPA_3 = f(3 * 0.044715);

const EXACT = 3;
const BY_TANH = 4;

/** (1 + tanh(beta (x + kappa x^3))) / 2 */
const tanhGate = (x: number, square: number): number => sigmoid(f(TWICE_BETA * f(x + f(KAPPA * f(square * x)))));

export const GELU: Unary = {
  name: 'ops/gelu',
  code: (attrs) => (attrs.approximate === 'tanh' ? BY_TANH : EXACT),
  flops: [20, 30],
  saved: 'input',
  forward(x, y, { code }) {
    for (let i = 0; i < y.length; i++) {
      const v = x[i] as number;
      y[i] = v * (code === BY_TANH ? tanhGate(v, f(v * v)) : normalCdf(v));
    }
  },
  gradient(dy, x, dx, { code }) {
    for (let i = 0; i < dx.length; i++) {
      const v = x[i] as number;
      const square = f(v * v);
      let slope: number;
      if (code === BY_TANH) {
        const s = tanhGate(v, square);
        const inner = f(TWICE_BETA * f(1 + f(KAPPA_3 * square)));
        slope = f(s + f(f(v * f(s * f(1 - s))) * inner));
      } else {
        slope = f(normalCdf(v) + f(v * f(expOfNegative(f(-0.5 * square)) * INV_SQRT_2PI)));
      }
      dx[i] = (dy[i] as number) * slope;
    }
  },
};
