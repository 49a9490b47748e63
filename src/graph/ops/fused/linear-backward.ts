/**
 * Backward of y = act(x W^T + b) for a small layer in one dispatch: g = dy act'(y), dW = g^T x, db = column sums of g,
 * dx = g W. Inputs dy and y [..., O] (y is not read without an activation), x [..., I], W [O, I]; outputs dW, db, dx.
 * 'fused/linear-backward-params' leaves out W and dx. Only the pass fuse-linear-backward makes them. The sums have the
 * order of the separate operators, so the bits are the same.
 */
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { dense, grid, lastOf, rowsOf } from '../../launch';
import type { Attrs, CpuArgs, OpDef, OpTypes, TensorType } from '../../op';
import { activationOf } from '../linear/fused-activation';

const f = Math.fround;

/** From this many multiply-adds per product on, tiled kernels beat one fewer dispatch. */
const FEW = 32_768;

/** Whether a layer is small enough for this operator. `weight`: type of W or dW. */
export const smallEnough = (x: TensorType, weight: TensorType): boolean =>
  rowsOf(x.shape) * elements(weight.shape) < FEW;

function sizesOf({ inputs }: Pick<OpTypes, 'inputs'>) {
  const x = at(inputs, 2).shape;
  return { rows: rowsOf(x), inFeatures: lastOf(x), outFeatures: lastOf(at(inputs, 0).shape) };
}

/** g = dy act'(y), rounded like the activation's own gradient operator. */
function slope(code: number, dy: number, y: number): number {
  if (code === 1) return y <= 0 ? 0 : dy;
  if (code === 2) return f(dy * f(1 - f(y * y)));
  if (code === 3) return f(f(dy * f(1 - y)) * y);
  return dy;
}

function backward({ inputs, outputs, inputTypes, attrs }: CpuArgs): void {
  const { rows, inFeatures, outFeatures } = sizesOf({ inputs: inputTypes });
  const [dy, y, x] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
  const w = inputs[3];
  const [dw, db] = [at(outputs, 0), at(outputs, 1)];
  const dx: HostArray | undefined = outputs[2];
  const code = activationOf(attrs);
  dw.fill(0);
  db.fill(0);
  dx?.fill(0);
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < outFeatures; o++) {
      const g = slope(code, dy[r * outFeatures + o] as number, y[r * outFeatures + o] as number);
      db[o] = (db[o] as number) + g;
      let k = o * inFeatures;
      for (let i = r * inFeatures; i < (r + 1) * inFeatures; i++, k++)
        dw[k] = f((dw[k] as number) + f(g * (x[i] as number)));
      if (!dx || !w) continue;
      k = o * inFeatures;
      for (let i = r * inFeatures; i < (r + 1) * inFeatures; i++, k++)
        dx[i] = f((dx[i] as number) + f(g * (w[k] as number)));
    }
  }
}

/**
 * An invocation computes four neighbours of a row, and a workgroup has 32 invocations. For a small enough layer, one
 * row of workgroups is enough.
 */
const fours = (inFeatures: number): number => Math.ceil(inFeatures / 4);

const constants = (attrs: Attrs) => ({ ACTIVATION: activationOf(attrs) });

function types(inputs: readonly TensorType[]): readonly [TensorType, TensorType] {
  const { inFeatures, outFeatures } = sizesOf({ inputs });
  return [
    { shape: [outFeatures, inFeatures], dtype: 'f32' },
    { shape: [outFeatures], dtype: 'f32' },
  ];
}

export const linearBackward: OpDef = {
  name: 'fused/linear-backward',
  infer: (inputs) => [...types(inputs), { shape: at(inputs, 2).shape, dtype: 'f32' }],
  cpu: backward,
  lower(t) {
    const { rows, inFeatures, outFeatures } = sizesOf(t);
    const invocations = (outFeatures + rows) * fours(inFeatures);
    const groups = grid(invocations, 32);
    const launch = dense('fused/linear-backward', t, [rows, inFeatures, outFeatures], groups, constants(t.attrs));
    return [{ ...launch, invocations }];
  },
  flops: (t) => 4 * elements(at(t.inputs, 3).shape) * sizesOf(t).rows,
};

export const linearBackwardParams: OpDef = {
  name: 'fused/linear-backward-params',
  infer: types,
  cpu: backward,
  lower(t) {
    const { rows, inFeatures, outFeatures } = sizesOf(t);
    const invocations = outFeatures * fours(inFeatures);
    const groups = grid(invocations, 32);
    const launch = dense(
      'fused/linear-backward-params',
      t,
      [rows, inFeatures, outFeatures],
      groups,
      constants(t.attrs),
    );
    return [{ ...launch, invocations }];
  },
  flops: (t) => 2 * elements(at(t.outputs, 0).shape) * sizesOf(t).rows,
};
