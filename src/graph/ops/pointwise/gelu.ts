/**
 * y = x Phi(x), as torch.nn.functional.gelu, exact (erf) or with attr approximate = 'tanh', and the gradients of both,
 * as a row of the table of unary functions. Saves x, as PyTorch does. The two differ by up to 5e-4: they are not
 * interchangeable.
 */
import { erf } from '../../erf';
import type { Unary } from './unary';

const f = Math.fround;
const INV_SQRT2 = f(Math.SQRT1_2);
const INV_SQRT_2PI = f(1 / Math.sqrt(2 * Math.PI));
const BETA = f(Math.sqrt(2 / Math.PI));
const KAPPA = f(0.044715);

const EXACT = 3;
const BY_TANH = 4;

export const GELU: Unary = {
  name: 'ops/gelu',
  code: (attrs) => (attrs.approximate === 'tanh' ? BY_TANH : EXACT),
  flops: [20, 30],
  saved: 'input',
  forward(x, y, { code }) {
    for (let i = 0; i < y.length; i++) {
      const v = x[i] as number;
      const inner = code === BY_TANH ? Math.tanh(f(BETA * f(v + f(KAPPA * f(f(v * v) * v))))) : erf(f(v * INV_SQRT2));
      y[i] = f(v * 0.5) * f(1 + f(inner));
    }
  },
  gradient(dy, x, dx, { code }) {
    for (let i = 0; i < dx.length; i++) {
      const v = x[i] as number;
      const square = f(v * v);
      let slope: number;
      if (code === BY_TANH) {
        const t = f(Math.tanh(f(BETA * f(v + f(KAPPA * f(square * v))))));
        const inner = f(BETA * f(1 + f(f(3 * KAPPA) * square)));
        slope = f(f(0.5 * f(1 + t)) + f(f(f(0.5 * v) * f(1 - f(t * t))) * inner));
      } else {
        const cdf = f(0.5 * f(1 + f(erf(f(v * INV_SQRT2)))));
        slope = f(cdf + f(v * f(f(Math.exp(f(-0.5 * square))) * INV_SQRT_2PI)));
      }
      dx[i] = (dy[i] as number) * slope;
    }
  },
};
