/**
 * The total norm that `torch.nn.utils.clip_grad_norm_` takes and returns: the L2 norm of all gradients of a device. Inputs: gradients; outputs: the norm [1], and
 * as scratch a sum of squares for every 16 elements and one for every SHARE of those. Over several devices it is applied once more, to
 * the devices' norms (parallel/emit-optimizer). No atomics: the order of summation is fixed, so the bits are those of every other run. The GPU adds
 * up all squares; torch and the CPU kernel take the norm of the tensors' norms, which differs in the last bit.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { DenseLaunch, Launch, OpDef, SegmentedLaunch } from '../graph/op';
import { elements } from '../tensor/shape';

/** Elements a sum of the first kernel covers. */
const RUN = 16;
/** Sums that one workgroup of the second kernel adds. */
const SHARE = 65_536;

const f = Math.fround;
const sumsOf = (length: number): number => Math.ceil(length / RUN);

export const gradNorm: OpDef = {
  name: 'optim/grad-norm',
  infer(inputs) {
    if (inputs.length === 0) throw new LockstepError('shape', 'clip_grad_norm_ has no gradients to take the norm of');
    const sums = inputs.reduce((total, type) => total + sumsOf(elements(type.shape)), 0);
    return [[1], [sums], [Math.ceil(sums / SHARE)]].map((shape) => ({ shape, dtype: 'f32' }));
  },
  cpu({ inputs, outputs }) {
    let total = 0;
    for (const gradient of inputs) {
      let squares = 0;
      for (let i = 0; i < gradient.length; i++) squares += (gradient[i] as number) * (gradient[i] as number);
      const norm = f(Math.sqrt(squares));
      total += norm * norm;
    }
    at(outputs, 0)[0] = Math.sqrt(total);
  },
  lower({ inputs, outputs }) {
    const n = inputs.length;
    const sums = elements(at(outputs, 1).shape);
    const shares = elements(at(outputs, 2).shape);
    let offset = 0;
    const segments = inputs.map((type, operand): SegmentedLaunch['segments'][number] => {
      const length = elements(type.shape);
      const segment = {
        at: [
          { operand, offset: 0 },
          { operand, offset: 0, fixed: true },
          { operand: n + 1, offset, fixed: true },
        ],
        length,
      };
      offset += sumsOf(length);
      return segment;
    });
    const add = (from: number, to: number, count: number, groups: number): DenseLaunch => ({
      kind: 'dense',
      kernel: 'optim/total-norm',
      constants: { ROOT: to === n ? 1 : 0 },
      bindings: [from, to],
      params: [count, SHARE],
      workgroups: [groups, 1],
    });
    const first: Launch = { kind: 'segmented', kernel: 'optim/square-sums', params: [], segments };
    if (shares === 1) return [first, add(n + 1, n, sums, 1)];
    return [first, add(n + 1, n + 2, sums, shares), add(n + 2, n, shares, 1)];
  },
  flops: ({ inputs }) => 2 * inputs.reduce((total, type) => total + elements(type.shape), 0),
};
