/**
 * torch.nn.CrossEntropyLoss and, with `logProbs`, NLLLoss: operands (output, target) or (output, target, class
 * weights), attrs reduction, labelSmoothing, ignoreIndex, dim (class-layout.ts). For the formulas and the contents of
 * `stats` see shaders/loss/cross-entropy.wgsl. Outputs are the loss, `stats`, and for a large batch the losses of the
 * rows and partial sums. A target out of range is an error on the CPU and NaN on the GPU.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import type { KernelId } from '../../kernel-table';
import { grid } from '../../launch';
import type { Attrs, CpuArgs, DenseLaunch, OpDef, OpTypes, TensorType } from '../../op';
import { cpuSum } from '../reduce/sum-steps';
import { type ClassLayout, checkClassTargets, classLayout } from './class-layout';
import { type ClassRows, type RowSums, rowGradients, rowLosses } from './class-rows';
import { type LossSum, lossSum, reductionOf, SEQUENTIAL_LIMIT } from './reduction';

export const IGNORE_INDEX = -100;

interface ClassLoss {
  readonly name: string;
  readonly logProbs: boolean;
}

export const ignoreIndexOf = ({ ignoreIndex }: Attrs): number =>
  typeof ignoreIndex === 'number' ? ignoreIndex : IGNORE_INDEX;
export const smoothingOf = ({ labelSmoothing }: Attrs): number =>
  typeof labelSmoothing === 'number' ? labelSmoothing : 0;

const f32 = (length: number): TensorType => ({ shape: [length], dtype: 'f32' });

/** For a small batch one invocation computes the losses of the rows and their sum. */
export const isWhole = ({ rows, classes }: ClassLayout): boolean => rows * classes <= SEQUENTIAL_LIMIT;

/** The sum over rows of losses and, for a mean, of weights. */
const sumOf = ({ rows }: ClassLayout, attrs: Attrs): LossSum => lossSum(rows, reductionOf(attrs) === 'mean' ? 2 : 1);

/**
 * Writes the loss, and the divisor into the last element of the statistics. A large batch adds up the losses of the
 * rows, which the outputs hold, in steps; a small batch takes `sums`, which were added up row by row.
 */
export function joinRowLosses(
  { outputs, attrs }: Pick<CpuArgs, 'outputs' | 'attrs'>,
  layout: ClassLayout,
  sums: RowSums,
): void {
  const [loss, stats] = [at(outputs, 0), at(outputs, 1)];
  const reduction = reductionOf(attrs);
  const isMean = reduction === 'mean';
  const totals = Float32Array.of(sums.loss, sums.weight);
  if (reduction !== 'none' && !isWhole(layout))
    cpuSum(sumOf(layout, attrs).steps, at(outputs, 2), [totals.subarray(0, isMean ? 2 : 1), ...outputs.slice(3)]);
  stats[stats.length - 1] = isMean ? at(totals, 1) : 1;
  if (reduction !== 'none') loss[0] = isMean ? at(totals, 0) / at(totals, 1) : at(totals, 0);
}

export const classLoss = (spec: ClassLoss): readonly [loss: OpDef, gradient: OpDef] => [lossOf(spec), gradientOf(spec)];

const gradName = ({ name }: ClassLoss): string => `${name}-grad`;
const flopsOf =
  ({ logProbs }: ClassLoss) =>
  (types: OpTypes): number =>
    (logProbs ? 2 : 20) * elements(at(types.inputs, 0).shape);
const rowsOf = ({ logProbs }: ClassLoss, layout: ClassLayout, attrs: Attrs): ClassRows => ({
  ...layout,
  logProbs,
  smoothing: smoothingOf(attrs),
  ignoreIndex: ignoreIndexOf(attrs),
});
const constantsOf = ({ logProbs }: ClassLoss, layout: ClassLayout, attrs: Attrs, weighted: boolean) => ({
  TARGET: layout.probabilities ? 1 : 0,
  LOG_PROBS: logProbs ? 1 : 0,
  WEIGHTED: weighted ? 1 : 0,
  STRIDED: layout.inner === 1 ? 0 : 1,
  REDUCTION: ['mean', 'sum', 'none'].indexOf(reductionOf(attrs)),
});
const paramsOf = ({ rows, classes, inner }: ClassLayout, attrs: Attrs) =>
  [rows, classes, inner, ignoreIndexOf(attrs) >>> 0, { f32: smoothingOf(attrs) }] as const;

function lossOf(spec: ClassLoss): OpDef {
  return {
    name: spec.name,
    infer(inputs, attrs) {
      checkClassTargets(inputs, attrs, spec.logProbs);
      const layout = classLayout(inputs, attrs);
      const stats = f32(3 * layout.rows + 1);
      if (reductionOf(attrs) === 'none') return [{ shape: layout.rowShape, dtype: 'f32' }, stats];
      return [f32(1), stats, ...(isWhole(layout) ? [] : sumOf(layout, attrs).scratch)];
    },
    gradient(c) {
      const upstream = c.outputGrad(0);
      if (upstream === undefined || !c.needsGrad(0)) return [];
      const weights = c.types.inputs.length > 2 ? [c.input(2)] : [];
      return c.emit(gradName(spec), [c.input(0), c.input(1), upstream, c.output(1), ...weights], c.types.attrs, [0]);
    },
    cpu({ inputs, outputs, inputTypes, attrs }) {
      const layout = classLayout(inputTypes, attrs);
      const reduction = reductionOf(attrs);
      const [loss, stats] = [at(outputs, 0), at(outputs, 1)];
      const whole = reduction !== 'none' && isWhole(layout);
      const terms = whole ? undefined : reduction === 'none' ? loss : at(outputs, 2);
      const given = { x: at(inputs, 0), target: at(inputs, 1), weights: inputs[2] };
      const sums = rowLosses(rowsOf(spec, layout, attrs), given, stats, terms);
      joinRowLosses({ outputs, attrs }, layout, sums);
    },
    lower(types) {
      const { attrs } = types;
      const layout = classLayout(types.inputs, attrs);
      const reduction = reductionOf(attrs);
      const first = types.inputs.length;
      const whole = reduction !== 'none' && isWhole(layout);
      const weighted = first > 2;
      const [stats, parts] = [first + 1, first + 2];
      const rows: DenseLaunch = {
        kind: 'dense',
        kernel: 'loss/cross-entropy',
        constants: { ...constantsOf(spec, layout, attrs, weighted), WHOLE: whole ? 1 : 0 },
        bindings: [0, 0, 1, weighted ? 2 : 0, stats, whole || reduction === 'none' ? first : parts],
        params: paramsOf(layout, attrs),
        workgroups: whole ? [1, 1] : grid(layout.rows),
      };
      if (whole || reduction === 'none') return [rows];
      const sum = sumOf(layout, attrs);
      const launches = sum.lower(first, 1, parts);
      if (reduction === 'sum') return [rows, ...launches];
      // The last sum and the division are one launch.
      const mean: KernelId = 'loss/mean';
      const left = at(sum.steps, sum.steps.length - 1).plane;
      return [
        rows,
        ...launches.slice(0, -1),
        {
          kind: 'dense',
          kernel: mean,
          bindings: [parts + launches.length - 1, stats, first],
          params: [left, 3 * layout.rows],
          workgroups: [1, 1],
        },
      ];
    },
    flops: flopsOf(spec),
  };
}

function gradientOf(spec: ClassLoss): OpDef {
  return {
    name: gradName(spec),
    infer: (inputs) => [{ shape: at(inputs, 0).shape, dtype: 'f32' }],
    cpu({ inputs, outputs, inputTypes, attrs }) {
      const [x, target, upstream, stats] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3)];
      const each = reductionOf(attrs) === 'none' ? 1 : 0;
      const rows = rowsOf(spec, classLayout(inputTypes, attrs), attrs);
      rowGradients(rows, { x, target, weights: inputs[4] }, stats, { upstream, each }, at(outputs, 0));
    },
    lower(types) {
      const { attrs } = types;
      const layout = classLayout(types.inputs, attrs);
      const n = elements(at(types.inputs, 0).shape);
      const weighted = types.inputs.length > 4;
      return [
        {
          kind: 'dense',
          kernel: 'loss/cross-entropy-grad',
          constants: constantsOf(spec, layout, attrs, weighted),
          bindings: [0, 1, weighted ? 4 : 0, 2, 3, types.inputs.length],
          params: [n, ...paramsOf(layout, attrs)],
          workgroups: grid(Math.ceil(n / 4)),
        },
      ];
    },
    flops: flopsOf(spec),
  };
}
