/**
 * PyTorch's broadcasting as plain numbers: the common shape of several operands, and its dimensions after merging
 * neighbours that every operand treats alike. An operand's step is 0 along a dimension over which it repeats. Shared by
 * the CPU loops and the lowerings of the operators with several inputs.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import type { Shape } from '../../../tensor/shape';

/**
 * The most dimensions that the kernels support; only operands that repeat alternately over seven dimensions need more.
 */
export const MAX_DIMS = 6;

export interface Dim {
  readonly size: number;
  /** Elements from one index to the next, per operand. */
  readonly steps: readonly number[];
}

/** The shape that torch.broadcast_shapes gives; throws in PyTorch's words. */
export function broadcastShape(shapes: readonly Shape[]): Shape {
  return shapes.reduce((a, b) => {
    const rank = Math.max(a.length, b.length);
    const out: number[] = [];
    for (let k = 1; k <= rank; k++) {
      const [p, q] = [a.at(-k) ?? 1, b.at(-k) ?? 1];
      if (p !== q && p !== 1 && q !== 1)
        throw new LockstepError(
          'shape',
          `The size of tensor a (${p}) must match the size of tensor b (${q}) at non-singleton dimension ${rank - k}`,
          'Sizes are compared from the last dimension on; a size of 1 repeats.',
        );
      out.unshift(p === 1 ? q : p);
    }
    return out;
  });
}

/** Steps of a dense tensor of `shape` over each dimension of `out`, 0 where it repeats. */
function stepsOver(shape: Shape, out: Shape): number[] {
  let step = 1;
  const steps: number[] = [];
  for (let k = 1; k <= out.length; k++) {
    const size = shape.at(-k) ?? 1;
    steps.unshift(k > shape.length || size === 1 ? 0 : step);
    if (k <= shape.length) step *= size;
  }
  return steps;
}

/**
 * The dimensions of `out`, outermost first, with neighbours merged where every operand runs through both in one stretch
 * or repeats over both.
 */
export function broadcastDims(out: Shape, operands: readonly Shape[]): readonly Dim[] {
  const steps = operands.map((shape) => stepsOver(shape, out));
  const dims: Dim[] = [];
  out.forEach((size, k) => {
    if (size === 1) return;
    const dim = { size, steps: steps.map((s) => at(s, k)) };
    const last = dims.at(-1);
    if (last?.steps.every((step, i) => step === at(dim.steps, i) * size))
      dims[dims.length - 1] = { size: last.size * size, steps: dim.steps };
    else dims.push(dim);
  });
  if (dims.length === 0) dims.push({ size: 1, steps: operands.map(() => 0) });
  if (dims.length > MAX_DIMS)
    throw new LockstepError('shape', `broadcasting alternates over more than ${MAX_DIMS} dimensions`, 'Reshape first.');
  return dims;
}

/**
 * Sizes and steps as the parameters of a kernel: MAX_DIMS sizes, then MAX_DIMS steps per operand; absent dimensions
 * have size 1.
 */
export function dimParams(dims: readonly Dim[], operands: number): readonly number[] {
  const pad = (values: readonly number[], filler: number) => [
    ...values,
    ...Array.from({ length: MAX_DIMS - values.length }, () => filler),
  ];
  return [
    ...pad(
      dims.map((d) => d.size),
      1,
    ),
    ...Array.from({ length: operands }, (_, i) =>
      pad(
        dims.map((d) => at(d.steps, i)),
        0,
      ),
    ).flat(),
  ];
}
