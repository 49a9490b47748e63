/**
 * c = op(a) op(b), as torch.mm, with attrs `transposeA`, `transposeB`: a stored [M, K] or [K, M], b stored [K, N] or [N, K].
 * Its gradients are matrix products again. Every element is one float32 sum in k order.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { gemmNT, gemmXN } from '../../gemm';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef, TensorType } from '../../op';
import { tiledProduct, tilesPay } from '../../tiled-product';

interface Product {
  readonly ta: boolean;
  readonly tb: boolean;
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** Steps of a over (m, k) and of b over (k, n), in elements. */
  readonly steps: readonly [am: number, ak: number, bk: number, bn: number];
}

function productOf(inputs: readonly TensorType[], attrs: Attrs): Product {
  const a = at(inputs, 0).shape;
  const b = at(inputs, 1).shape;
  const ta = attrs.transposeA === true;
  const tb = attrs.transposeB === true;
  const [a0 = 0, a1 = 0] = a;
  const [b0 = 0, b1 = 0] = b;
  const [M, K] = ta ? [a1, a0] : [a0, a1];
  const [rows, N] = tb ? [b1, b0] : [b0, b1];
  if (a.length !== 2 || b.length !== 2 || K !== rows) {
    const sizes = a.length === 2 && b.length === 2 ? `${M}x${K} and ${rows}x${N}` : `${a.join('x')} and ${b.join('x')}`;
    throw new LockstepError('shape', `mat1 and mat2 shapes cannot be multiplied (${sizes})`);
  }
  return { ta, tb, M, N, K, steps: [ta ? 1 : K, ta ? M : 1, tb ? 1 : N, tb ? K : 1] };
}

function gemmTT(a: HostArray, b: HostArray, c: HostArray, M: number, N: number, K: number): void {
  for (let m = 0; m < M; m++) {
    for (let n = 0; n < N; n++) {
      let s = 0;
      for (let k = 0; k < K; k++) s = Math.fround(s + Math.fround((a[k * M + m] as number) * (b[n * K + k] as number)));
      c[m * N + n] = s;
    }
  }
}

export const matmul: OpDef = {
  name: 'ops/matmul',
  infer(inputs, attrs) {
    const { M, N } = productOf(inputs, attrs);
    return [{ shape: [M, N], dtype: 'f32' }];
  },
  gradient(c) {
    const dc = c.outputGrad(0);
    if (dc === undefined) return [];
    const { ta, tb } = productOf(c.types.inputs, c.types.attrs);
    const [a, b] = [c.input(0), c.input(1)];
    const product = (left: number, right: number, transposeA: boolean, transposeB: boolean, of: number) =>
      c.emit('ops/matmul', [left, right], { transposeA, transposeB }, [of])[0];
    const da = c.needsGrad(0) ? (ta ? product(b, dc, tb, true, 0) : product(dc, b, false, !tb, 0)) : undefined;
    const db = c.needsGrad(1) ? (tb ? product(dc, a, true, ta, 1) : product(a, dc, !ta, false, 1)) : undefined;
    return [da, db];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { ta, tb, M, N, K, steps } = productOf(inputTypes, attrs);
    const [a, b, c] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
    if (!tb) gemmXN(a, steps[0], steps[1], b, c, M, N, K);
    else if (!ta) gemmNT(a, b, c, M, N, K);
    else gemmTT(a, b, c, M, N, K);
  },
  lower(types) {
    const { M, N, K, steps } = productOf(types.inputs, types.attrs);
    if (tilesPay(M, N, K)) return [tiledProduct({ m: M, n: N, k: K, steps, a: 0, b: 1, c: 2 })];
    return [dense('ops/matmul', types, [M, N, K, ...steps], grid(M * N))];
  },
  flops: (types) => 2 * elements(at(types.outputs, 0).shape) * productOf(types.inputs, types.attrs).K,
};
