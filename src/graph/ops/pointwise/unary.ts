/**
 * The mechanism of all elementwise operators with one operand: y = f(x), and its gradient dx = dy f'(x) from what
 * PyTorch saves (x or y). A row of a table (activations.ts, powers.ts) gives the number of the function in
 * shaders/pointwise/unary*.wgsl, its attributes as two floats, and the two CPU loops, one per row so that the
 * JavaScript engine optimises each separately.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import type { HostArray } from '../../../tensor/shape';
import { elements, formatShape, sameShape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef, OpTypes } from '../../op';
import { unaryGradient } from '../../unary-gradient';

/** The attributes in the kernel's form: two floats, and the number of the function. */
interface Form {
  readonly p: number;
  readonly q: number;
  readonly code: number;
}

export interface Unary {
  readonly name: string;
  /** FUNCTION in the two kernels; gelu has two. */
  readonly code: number | ((attrs: Attrs) => number);
  /** The attributes that its kernels and loops take as p and q. */
  readonly params?: (attrs: Attrs) => readonly [p: number, q: number];
  readonly flops: readonly [forward: number, gradient: number];
  readonly saved: 'input' | 'output';
  readonly forward: (x: HostArray, y: HostArray, form: Form) => void;
  readonly gradient: (dy: HostArray, saved: HostArray, dx: HostArray, form: Form) => void;
}

/** An attribute, or PyTorch's default if it is absent. */
export const numeric = (value: Attrs[string] | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

export function unary(spec: Unary): readonly [op: OpDef, gradient: OpDef] {
  const gradName = `${spec.name}-grad`;
  const codeOf = (attrs: Attrs): number => (typeof spec.code === 'number' ? spec.code : spec.code(attrs));
  const paramsOf = (attrs: Attrs): readonly [number, number] => spec.params?.(attrs) ?? [0, 0];
  const formOf = (attrs: Attrs): Form => {
    const [p, q] = paramsOf(attrs);
    return { p, q, code: codeOf(attrs) };
  };
  const lower = (kernel: 'pointwise/unary' | 'pointwise/unary-grad') => (types: OpTypes) => {
    const n = elements(at(types.inputs, 0).shape);
    const [p, q] = paramsOf(types.attrs);
    const constants = { FUNCTION: codeOf(types.attrs) };
    const invocations = Math.ceil(n / 4);
    return [{ ...dense(kernel, types, [n, { f32: p }, { f32: q }], grid(invocations), constants), invocations }];
  };
  const op: OpDef = {
    name: spec.name,
    infer: (inputs) => [{ shape: at(inputs, 0).shape, dtype: 'f32' }],
    gradient: unaryGradient(gradName, spec.saved),
    cpu({ inputs, outputs, attrs }) {
      spec.forward(at(inputs, 0), at(outputs, 0), formOf(attrs));
    },
    lower: lower('pointwise/unary'),
    flops: (types) => spec.flops[0] * elements(at(types.inputs, 0).shape),
  };
  const gradient: OpDef = {
    name: gradName,
    infer(inputs) {
      const [dy, saved] = [at(inputs, 0).shape, at(inputs, 1).shape];
      if (!sameShape(dy, saved))
        throw new LockstepError('shape', `${gradName}: sizes ${formatShape(dy)} and ${formatShape(saved)} must match`);
      return [{ shape: dy, dtype: 'f32' }];
    },
    cpu({ inputs, outputs, attrs }) {
      spec.gradient(at(inputs, 0), at(inputs, 1), at(outputs, 0), formOf(attrs));
    },
    lower: lower('pointwise/unary-grad'),
    flops: (types) => spec.flops[1] * elements(at(types.inputs, 0).shape),
  };
  return [op, gradient];
}
