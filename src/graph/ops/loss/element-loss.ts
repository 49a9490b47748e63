/**
 * The mechanism of the losses that compare an output with a target element by element: reduction 'mean' and 'sum' give
 * one number, shape [1], 'none' keeps the shape. A row of the table (element-losses.ts) gives the function, its slope,
 * and its number in shaders/loss/elementwise*.wgsl. A large batch uses partial sums, which are further outputs. PyTorch
 * broadcasts targets of another shape with a warning; this code refuses them.
 */
import { at } from '../../../base/invariant';
import { elements, type HostArray, type Shape } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { Attrs, DenseLaunch, OpDef, OpTypes, TensorType, ValueId } from '../../op';
import { cpuSum } from '../reduce/sum-steps';
import { lossSum, partsOf, type Reduction, reductionOf } from './reduction';

export interface ElementLoss {
  readonly name: string;
  /** FUNCTION in the kernels. */
  readonly code: number;
  readonly flops: number;
  /** Whether the loss depends only on output - target, so that the target's gradient is the negated output gradient. */
  readonly ofDifference: boolean;
  readonly param?: (attrs: Attrs) => number;
  /** Throws when the shapes do not fit, in PyTorch's words. */
  readonly check: (inputs: readonly TensorType[]) => void;
  readonly term: (x: number, t: number, p: number, posWeight: number) => number;
  readonly slope: (x: number, t: number, p: number, posWeight: number) => number;
}

const f = Math.fround;

/** Number of partial sums of the first launch: 1 for a small batch, one term per element for 'none'. */
const partsFor = (n: number, reduction: Reduction): number => (reduction === 'none' ? n : partsOf(n));

export const elementLoss = (spec: ElementLoss): readonly [loss: OpDef, gradient: OpDef] => [
  lossOf(spec),
  gradientOf(spec),
];

const gradName = ({ name }: ElementLoss): string => `${name}-grad`;
const paramOf = (spec: ElementLoss, attrs: Attrs): number => spec.param?.(attrs) ?? 0;
const flopsOf =
  (spec: ElementLoss) =>
  (types: OpTypes): number =>
    spec.flops * elements(at(types.inputs, 0).shape);

function lossOf(spec: ElementLoss): OpDef {
  return {
    name: spec.name,
    infer(inputs, attrs) {
      spec.check(inputs);
      const { shape } = at(inputs, 0);
      const reduction = reductionOf(attrs);
      if (reduction === 'none') return [{ shape, dtype: 'f32' }];
      const parts = partsOf(elements(shape));
      return [{ shape: [1], dtype: 'f32' }, ...(parts === 1 ? [] : lossSum(parts, 1).scratch)];
    },
    gradient(c) {
      const upstream = c.outputGrad(0);
      if (upstream === undefined) return [];
      const posWeight = c.types.inputs.length > 2 ? [c.input(2)] : [];
      const to = (operand: 0 | 1): ValueId | undefined =>
        c.emit(
          gradName(spec),
          [c.input(0), c.input(1), upstream, ...posWeight],
          operand === 0 ? c.types.attrs : { ...c.types.attrs, operand },
          [operand],
        )[0];
      return [c.needsGrad(0) ? to(0) : undefined, spec.ofDifference && c.needsGrad(1) ? to(1) : undefined];
    },
    cpu({ inputs, outputs, attrs }) {
      const [x, t] = [at(inputs, 0), at(inputs, 1)];
      const reduction = reductionOf(attrs);
      const parts = partsFor(x.length, reduction);
      const y = parts === 1 || reduction === 'none' ? at(outputs, 0) : at(outputs, 1);
      addTerms(spec, { x, t, posWeight: inputs[2] }, paramOf(spec, attrs), y);
      const divisor = reduction === 'mean' ? x.length : 1;
      if (reduction === 'none') return;
      if (parts === 1) y[0] = (y[0] as number) / divisor;
      else cpuSum(lossSum(parts, 1).steps, y, [at(outputs, 0), ...outputs.slice(2)], { divisor });
    },
    lower(types) {
      const n = elements(at(types.inputs, 0).shape);
      const reduction = reductionOf(types.attrs);
      const parts = partsFor(n, reduction);
      const divisor = reduction === 'mean' ? n : 1;
      const whole = parts === 1 || reduction === 'none';
      const [posWeight, period] = posWeightOf(types.inputs, 2);
      const first = types.inputs.length;
      const terms: DenseLaunch = {
        kind: 'dense',
        kernel: 'loss/elementwise',
        constants: { FUNCTION: spec.code, HAS_POS_WEIGHT: posWeight === 0 ? 0 : 1 },
        bindings: [0, 1, posWeight, whole ? first : first + 1],
        params: [n, parts, period, { f32: parts === 1 ? divisor : 1 }, { f32: paramOf(spec, types.attrs) }],
        workgroups: grid(parts),
        invocations: parts,
      };
      return whole ? [terms] : [terms, ...lossSum(parts, 1).lower(first, divisor, first + 1)];
    },
    flops: flopsOf(spec),
  };
}

function gradientOf(spec: ElementLoss): OpDef {
  return {
    name: gradName(spec),
    infer: (inputs) => [{ shape: at(inputs, 0).shape, dtype: 'f32' }],
    cpu({ inputs, outputs, attrs }) {
      const [x, t, upstream] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
      const divisor = reductionOf(attrs) === 'mean' ? x.length : 1;
      const each = reductionOf(attrs) === 'none' ? 1 : 0;
      const sign = attrs.operand === 1 ? -1 : 1;
      const chain = { upstream, each, divisor, sign };
      multiplySlopes(spec, { x, t, posWeight: inputs[3] }, paramOf(spec, attrs), chain, at(outputs, 0));
    },
    lower(types) {
      const n = elements(at(types.inputs, 0).shape);
      const reduction = reductionOf(types.attrs);
      const [posWeight, period] = posWeightOf(types.inputs, 3);
      const sign = types.attrs.operand === 1 ? -1 : 1;
      return [
        {
          kind: 'dense',
          kernel: 'loss/elementwise-grad',
          constants: {
            FUNCTION: spec.code,
            HAS_POS_WEIGHT: posWeight === 0 ? 0 : 1,
            PER_ELEMENT: reduction === 'none' ? 1 : 0,
          },
          bindings: [0, 1, posWeight, 2, types.inputs.length],
          params: [
            n,
            period,
            { f32: reduction === 'mean' ? n : 1 },
            { f32: sign },
            { f32: paramOf(spec, types.attrs) },
          ],
          workgroups: grid(Math.ceil(n / 4)),
          invocations: Math.ceil(n / 4),
        },
      ];
    },
    flops: flopsOf(spec),
  };
}

/** Operand and length of pos_weight, which is at `place`; without pos_weight its binding gets the output. */
function posWeightOf(inputs: readonly TensorType[], place: number): readonly [operand: number, period: number] {
  const shape: Shape | undefined = inputs[place]?.shape;
  return shape ? [place, elements(shape)] : [0, 1];
}

interface Compared {
  readonly x: HostArray;
  readonly t: HostArray;
  readonly posWeight: HostArray | undefined;
}

/** y[i mod parts] += term i, in float32, as the kernel adds. */
function addTerms({ term }: ElementLoss, { x, t, posWeight }: Compared, p: number, y: HostArray): void {
  const parts = y.length;
  y.fill(0);
  let j = 0;
  for (let i = 0; i < x.length; i++) {
    const weight = posWeight ? (posWeight[i % posWeight.length] as number) : 1;
    y[j] = (y[j] as number) + f(term(x[i] as number, t[i] as number, p, weight));
    if (++j === parts) j = 0;
  }
}

interface Chain {
  readonly upstream: HostArray;
  /** 1 if upstream has one number per element, else 0. */
  readonly each: number;
  readonly divisor: number;
  readonly sign: number;
}

function multiplySlopes(
  { slope }: ElementLoss,
  { x, t, posWeight }: Compared,
  p: number,
  { upstream, each, divisor, sign }: Chain,
  dx: HostArray,
): void {
  for (let i = 0; i < dx.length; i++) {
    const weight = posWeight ? (posWeight[i % posWeight.length] as number) : 1;
    const d = (upstream[i * each] as number) * sign;
    dx[i] = f(f(slope(x[i] as number, t[i] as number, p, weight)) * d) / divisor;
  }
}
