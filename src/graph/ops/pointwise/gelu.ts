/**
 * y = x Phi(x), as torch.nn.functional.gelu, exact (erf) or with attr approximate = 'tanh', and the gradients of both.
 * Saves x, as PyTorch does. The two differ by up to 5e-4: they are not interchangeable.
 */
import { at } from '../../../base/invariant';
import { elementwise, unaryGradient } from '../../elementwise';
import { erf } from '../../erf';
import type { Attrs, OpDef } from '../../op';

const f = Math.fround;
const INV_SQRT2 = f(Math.SQRT1_2);
const INV_SQRT_2PI = f(1 / Math.sqrt(2 * Math.PI));
const BETA = f(Math.sqrt(2 / Math.PI));
const KAPPA = f(0.044715);

const isTanh = (attrs: Attrs): boolean => attrs.approximate === 'tanh';
const constants = (attrs: Attrs) => ({ APPROXIMATE: isTanh(attrs) ? 1 : 0 });

export const gelu: OpDef = elementwise({
  name: 'ops/gelu',
  flopsPerElement: 20,
  constants,
  gradient: unaryGradient('ops/gelu-grad', 'input'),
  cpu({ inputs, outputs, attrs }) {
    const x = at(inputs, 0);
    const y = at(outputs, 0);
    const approximate = isTanh(attrs);
    for (let i = 0; i < y.length; i++) {
      const v = x[i] as number;
      const inner = approximate ? Math.tanh(f(BETA * f(v + f(KAPPA * f(f(v * v) * v))))) : erf(f(v * INV_SQRT2));
      y[i] = f(v * 0.5) * f(1 + f(inner));
    }
  },
});

export const geluGrad: OpDef = elementwise({
  name: 'ops/gelu-grad',
  flopsPerElement: 30,
  constants,
  cpu({ inputs, outputs, attrs }) {
    const dy = at(inputs, 0);
    const x = at(inputs, 1);
    const dx = at(outputs, 0);
    const approximate = isTanh(attrs);
    for (let i = 0; i < dx.length; i++) {
      const v = x[i] as number;
      const square = f(v * v);
      let slope: number;
      if (approximate) {
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
});
