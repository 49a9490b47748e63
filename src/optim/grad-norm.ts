/**
 * The total norm that `torch.nn.utils.clip_grad_norm_` takes and returns: the norm of all gradients of a device, of
 * attribute `normType` (p, or 'inf'). Inputs: gradients; outputs: the norm [1], and as scratch a sum of p-th powers for
 * every 16 elements and one for every SHARE of those. For several devices it is applied once more, to the devices'
 * norms (parallel/emit-optimizer). No atomics: the order of summation is fixed, so every run has the same bits. The GPU
 * sums all powers; torch and the CPU kernel take the norm of the tensors' norms, which differs in the last bits.
 * Attribute `half: 'bf16'`: the gradients are bfloat16, two in each word, and the norms of the tensors and their norm
 * are rounded to bfloat16. The last output is then one norm per gradient. The unused half of an odd gradient's last
 * word is 0, which adds nothing to a norm.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { Attrs, DenseLaunch, Launch, OpDef, SegmentedLaunch, TensorType } from '../graph/op';
import { HALF_BITS } from '../tensor/half-bits-part';
import { elements, type HostArray } from '../tensor/shape';

/** Elements per sum of the first kernel. */
const RUN = 16;
/** Sums that one workgroup of the second kernel adds. */
const SHARE = 65_536;

const f = Math.fround;
/** Sums of a gradient; in bfloat16 a word has two elements. */
const sumsOf = ({ shape }: TensorType, { half }: Attrs): number => Math.ceil(elements(shape) / (half ? RUN / 2 : RUN));

/** Infinity for 'inf'. */
export const orderOf = ({ normType }: Attrs): number =>
  normType === 'inf' ? Number.POSITIVE_INFINITY : Number(normType);

/** In double precision, rounded once. As in torch, a NaN makes a norm of any order NaN. */
export function normOf(values: HostArray, p: number): number {
  let sum = 0;
  if (p === Number.POSITIVE_INFINITY) {
    for (const value of values) sum = Math.max(sum, Math.abs(value));
    return sum;
  }
  if (p === 2) {
    for (let i = 0; i < values.length; i++) sum += (values[i] as number) * (values[i] as number);
    return f(Math.sqrt(sum));
  }
  // Powers are float32 in torch: too large powers become infinite.
  for (const value of values) sum += p === 1 ? Math.abs(value) : f(Math.abs(value) ** p);
  return f(p === 1 ? sum : f(sum) ** (1 / p));
}

/** Rounds to the type of the gradients. */
export const roundedFor = ({ half }: Attrs): ((value: number) => number) =>
  half === 'bf16' ? HALF_BITS.get().rounder('bf16') : f;

export const gradNorm: OpDef = {
  name: 'optim/grad-norm',
  infer(inputs, attrs) {
    if (inputs.length === 0) throw new LockstepError('shape', 'clip_grad_norm_ has no gradients to take the norm of');
    if (attrs.half && inputs.some(({ dtype }) => dtype !== 'i32'))
      throw new LockstepError('shape', 'clip_grad_norm_: expected the words of gradients in bfloat16');
    const sums = inputs.reduce((total, type) => total + sumsOf(type, attrs), 0);
    return [[1], [sums], [attrs.half ? inputs.length : Math.ceil(sums / SHARE)]].map((shape) => ({
      shape,
      dtype: 'f32',
    }));
  },
  cpu({ inputs, outputs, attrs }) {
    const p = orderOf(attrs);
    const rounded = roundedFor(attrs);
    const valuesOf = (gradient: HostArray): HostArray =>
      attrs.half ? HALF_BITS.get().floatsOfHalves('bf16', gradient as Int32Array, 2 * gradient.length) : gradient;
    const norms = Float32Array.from(inputs, (gradient) => rounded(normOf(valuesOf(gradient), p)));
    at(outputs, 0)[0] = rounded(normOf(norms, p));
  },
  lower({ inputs, outputs, attrs }) {
    const p = orderOf(attrs);
    // Pipeline constants must be finite, so 0 stands for infinity.
    const P = Number.isFinite(p) ? p : 0;
    const n = inputs.length;
    const sums = elements(at(outputs, 1).shape);
    const shares = elements(at(outputs, 2).shape);
    let offset = 0;
    const segments = inputs.map((type, operand): SegmentedLaunch['segments'][number] => {
      const segment = {
        at: [
          { operand, offset: 0 },
          { operand, offset: 0, fixed: true },
          { operand: n + 1, offset, fixed: true },
        ],
        length: elements(type.shape),
      };
      offset += sumsOf(type, attrs);
      return segment;
    });
    const add = (from: number, to: number, count: number, groups: number): DenseLaunch => ({
      kind: 'dense',
      kernel: 'optim/total-norm',
      constants: { ROOT: to === n ? 1 : 0, P },
      bindings: [from, to],
      params: [count, SHARE],
      workgroups: [groups, 1],
    });
    const kernel = attrs.half ? 'precision/power-sums' : 'optim/power-sums';
    const first: Launch = { kind: 'segmented', kernel, constants: { P }, params: [], segments };
    const sumsOfEach = inputs.map((type) => sumsOf(type, attrs));
    if (attrs.half) return [first, ...normsInHalf(sumsOfEach, P)];
    if (shares === 1) return [first, add(n + 1, n, sums, 1)];
    return [first, add(n + 1, n + 2, sums, shares), add(n + 2, n, shares, 1)];
  },
  flops: ({ inputs, attrs }) => (attrs.half ? 4 : 2) * inputs.reduce((total, type) => total + elements(type.shape), 0),
};

/** A launch per gradient and one for the norm of their norms. `sums`: of each gradient. */
function normsInHalf(sums: readonly number[], P: number): readonly Launch[] {
  const n = sums.length;
  const norm = (from: number, to: number, params: readonly number[]): DenseLaunch => ({
    kind: 'dense',
    kernel: 'precision/norm',
    constants: { NORMS: to === n ? 1 : 0, P },
    bindings: [from, to],
    params,
    workgroups: [1, 1],
  });
  let begin = 0;
  const own = sums.map((count, k) => {
    begin += count;
    return norm(n + 1, n + 2, [begin - count, count, k]);
  });
  return [...own, norm(n + 2, n, [0, n, 0])];
}
