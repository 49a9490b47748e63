/**
 * The mechanism of y = f(a, b) with PyTorch's broadcasting of both operands, and of its gradients; the gradient of a
 * broadcast operand is summed over its repetitions. A row of the table (arithmetic.ts) gives f, its slopes and the CPU
 * loops over one stretch. If an operand has y's shape and an existing operator computes its gradient (dy itself, or dy
 * b), that operator is used; otherwise '<name>-grad' sums without intermediate tensors.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape, sameShape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, CpuArgs, GradientContext, OpDef, OpTypes, ValueId } from '../../op';
import { broadcastDims, broadcastShape, type Dim, dimParams } from './broadcast';
import { advance, rewind, type Trio, type Walked, walked } from './broadcast-walk';

/** y[i] = f(a[i], b[i]) for the next n elements of each; y is dense. */
export type StretchLoop = (y: Walked, a: Walked, b: Walked, n: number, p: number) => void;

/** The contribution of one element of y to the gradient of an operand. */
export type Slope = (dy: number, a: number, b: number) => number;

export interface OperandGradient {
  /** GRADIENT in shaders/pointwise/broadcast-grad.wgsl. */
  readonly code: number;
  /** Whether the slope depends on a and b; otherwise they need not be kept until the backward pass. */
  readonly saves: boolean;
  readonly slope: Slope;
  /** The gradient from existing operators, if nothing has to be summed. */
  readonly direct?: (c: GradientContext, dy: ValueId) => ValueId | undefined;
}

export interface Binary {
  readonly name: string;
  /** FUNCTION in shaders/pointwise/binary.wgsl and broadcast.wgsl. */
  readonly code: number;
  readonly param?: (attrs: Attrs) => number;
  readonly stretch: StretchLoop;
  readonly gradients: readonly [a: OperandGradient, b?: OperandGradient];
}

/** Whether b's shape is the trailing part of a's shape, so that b repeats as a whole. */
const repeatsWhole = (a: Shape, b: Shape): boolean =>
  b.length <= a.length && sameShape(a.slice(a.length - b.length), b) && elements(b) > 0;

/** GRADIENT 0: dy itself. */
const PLAIN = 0;

/**
 * Attributes of the plain sum over an operand's repetitions (a bias, added positions), which has its own launches for
 * large sizes; undefined if it is not a plain sum.
 */
function sumOver(out: Shape, shape: Shape): Attrs | undefined {
  const added = out.length - shape.length;
  const repeated = out.flatMap((size, d) => (d < added || (size > 1 && shape[d - added] === 1) ? [d] : []));
  if (added > 0 && repeated.length > added) return undefined;
  return { dim: repeated, keepdim: added === 0 };
}

/** From this many terms per invocation on, partial sums pay. */
const LONG_SUM = 1024;

/**
 * How often a tensor of that shape is repeated, as a whole or as one number, to fill y; 0 if it is repeated otherwise,
 * and only '<name>-grad' can sum it.
 */
function repetitions(shape: Shape, y: Shape): number {
  const whole = repeatsWhole(y, shape) || sameShape(shape, [1]);
  return whole ? elements(y) / elements(shape) : 0;
}

interface Plan {
  readonly dims: readonly Dim[];
}

export function binary(spec: Binary): readonly [op: OpDef, gradient: OpDef] {
  const plan = ({ inputTypes, outputTypes }: CpuArgs): Plan => {
    const out = at(outputTypes, 0).shape;
    return { dims: broadcastDims(out, [out, at(inputTypes, 0).shape, at(inputTypes, 1).shape]) };
  };
  const op: OpDef = {
    name: spec.name,
    infer: (inputs) => [{ shape: broadcastShape(inputs.map((t) => t.shape)), dtype: 'f32' }],
    gradient(c) {
      const dy = c.outputGrad(0);
      if (dy === undefined) return [];
      return spec.gradients.map((gradient, i) =>
        gradient && c.needsGrad(i) ? operand(c, dy, i, gradient) : undefined,
      );
    },
    cpu(args) {
      const { dims } = args.scratch.plan(args, plan);
      const [a, b] = [walked(at(args.inputs, 0)), walked(at(args.inputs, 1))];
      walk(spec.stretch, dims, 0, { y: walked(at(args.outputs, 0)), a, b }, spec.param?.(args.attrs) ?? 0);
    },
    lower(types) {
      const [a, b, y] = [at(types.inputs, 0).shape, at(types.inputs, 1).shape, at(types.outputs, 0).shape];
      const n = elements(y);
      const p = { f32: spec.param?.(types.attrs) ?? 0 };
      const period = elements(b);
      if (sameShape(a, y) && (sameShape(a, b) || (repeatsWhole(a, b) && period % 4 === 0))) {
        const constants = { FUNCTION: spec.code, REPEATS: period === n ? 0 : 1 };
        return [dense('pointwise/binary', types, [n, period, p], grid(Math.ceil(n / 4)), constants)];
      }
      const dims = broadcastDims(y, [a, b]);
      const constants = { FUNCTION: spec.code, DIMS: dims.length };
      return [dense('pointwise/broadcast', types, [n, p, ...dimParams(dims, 2)], grid(n), constants)];
    },
    flops: (types) => elements(at(types.outputs, 0).shape),
  };
  return [op, broadcastGradient(spec)];

  function operand(c: GradientContext, dy: ValueId, i: number, gradient: OperandGradient): ValueId | undefined {
    const { shape } = at(c.types.inputs, i);
    if (gradient.direct && sameShape(shape, at(c.types.outputs, 0).shape)) return gradient.direct(c, dy);
    const sum = gradient.code === PLAIN ? sumOver(at(c.types.outputs, 0).shape, shape) : undefined;
    if (sum) return c.emit('ops/sum', [dy], sum, [i])[0];
    const repeats = repetitions(shape, at(c.types.outputs, 0).shape);
    if (gradient.direct && repeats > LONG_SUM) {
      // Too many terms for one invocation per element: ops/sum adds in parts.
      const whole = gradient.direct(c, dy);
      const dim = at(c.types.outputs, 0)
        .shape.slice(0, -shape.length)
        .map((_, k) => k);
      const attrs = sameShape(shape, [1]) ? {} : { dim };
      return whole === undefined ? undefined : c.emit('ops/sum', [whole], attrs, [i])[0];
    }
    const inputs = gradient.saves ? [dy, c.input(0), c.input(1)] : [dy];
    return c.emit(`${spec.name}-grad`, inputs, { operand: i, shape }, [i])[0];
  }
}

function walk(stretch: StretchLoop, dims: readonly Dim[], depth: number, operands: Trio, p: number): void {
  const dim = at(dims, depth);
  if (depth === dims.length - 1) {
    const { y, a, b } = operands;
    y.step = dim.steps[0] ?? 0;
    a.step = dim.steps[1] ?? 0;
    b.step = dim.steps[2] ?? 0;
    stretch(y, a, b, dim.size, p);
    return;
  }
  for (let i = 0; i < dim.size; i++) {
    walk(stretch, dims, depth + 1, operands, p);
    advance(operands, dim);
  }
  rewind(operands, dim);
}

interface GradientPlan {
  /** Steps of dy, a, b: first the dimensions of the operand, then those to sum over. */
  readonly dims: readonly Dim[];
  readonly kept: number;
}

/** '<name>-grad' over (dy) or (dy, a, b): the gradient of operand `operand`, of shape `shape`. */
function broadcastGradient(spec: Binary): OpDef {
  const shapeOf = (attrs: Attrs): Shape => (Array.isArray(attrs.shape) ? attrs.shape : []);
  const gradientOf = (attrs: Attrs): OperandGradient => at(spec.gradients, Number(attrs.operand)) as OperandGradient;
  const plan = ({ inputs, attrs }: Pick<OpTypes, 'inputs' | 'attrs'>): GradientPlan => {
    const dy = at(inputs, 0).shape;
    const shapes = inputs.length > 1 ? inputs.map((t) => t.shape) : [dy, dy, dy];
    const dims = broadcastDims(dy, [...shapes, shapeOf(attrs)]);
    const kept = dims.filter((dim) => at(dim.steps, 3) !== 0);
    return { dims: [...kept, ...dims.filter((dim) => at(dim.steps, 3) === 0)], kept: kept.length };
  };
  const planOfArgs = ({ inputTypes, attrs }: CpuArgs) => plan({ inputs: inputTypes, attrs });
  return {
    name: `${spec.name}-grad`,
    infer: (_, attrs) => [{ shape: shapeOf(attrs), dtype: 'f32' }],
    cpu(args) {
      const dy = at(args.inputs, 0);
      const operands = { y: walked(dy), a: walked(args.inputs[1] ?? dy), b: walked(args.inputs[2] ?? dy) };
      const { dims, kept } = args.scratch.plan(args, planOfArgs);
      const { slope } = gradientOf(args.attrs);
      const dx = at(args.outputs, 0);
      let next = 0;
      const element = (depth: number): void => {
        if (depth === kept) {
          dx[next++] = total(slope, dims, depth, operands);
          return;
        }
        const dim = at(dims, depth);
        for (let i = 0; i < dim.size; i++) {
          element(depth + 1);
          advance(operands, dim);
        }
        rewind(operands, dim);
      };
      element(0);
    },
    lower(types) {
      const { dims, kept } = plan(types);
      const n = elements(at(types.outputs, 0).shape);
      const summed = dims.slice(kept);
      const length = summed.at(-1)?.size ?? 1;
      const chains = elements(summed.map((dim) => dim.size)) / length;
      const params = [n, chains, length, ...dimParams(dims, 3)];
      const constants = { GRADIENT: gradientOf(types.attrs).code, DIMS: dims.length, KEPT: kept };
      const launch = dense('pointwise/broadcast-grad', types, params, grid(n), constants);
      // If a and b are not needed, their bindings get dy, which the kernel then does not read through them.
      return [types.inputs.length > 1 ? launch : { ...launch, bindings: [0, 0, 0, 1] }];
    },
    flops: (types) => 2 * elements(at(types.inputs, 0).shape),
  };
}

/**
 * Sum of slopes over the dimensions from `depth` on, in double precision, so that long sums are close to PyTorch's
 * pairwise sums.
 */
function total(slope: Slope, dims: readonly Dim[], depth: number, operands: Trio): number {
  const { y: dy, a, b } = operands;
  const dim = dims[depth];
  if (!dim) return slope(dy.data[dy.at] as number, a.data[a.at] as number, b.data[b.at] as number);
  let sum = 0;
  if (depth === dims.length - 1) {
    const [s0 = 0, s1 = 0, s2 = 0] = dim.steps;
    for (let i = 0, d = dy.at, v = a.at, w = b.at; i < dim.size; i++, d += s0, v += s1, w += s2)
      sum += slope(dy.data[d] as number, a.data[v] as number, b.data[w] as number);
    return sum;
  }
  for (let i = 0; i < dim.size; i++) {
    sum += total(slope, dims, depth + 1, operands);
    advance(operands, dim);
  }
  rewind(operands, dim);
  return sum;
}
