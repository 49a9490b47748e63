/**
 * The norm operators under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type CaseInput, type Maker, reals } from '../case-tools';
import type { Recipe, RecipeContext } from '../recipe';
import { arg, type Doubles, el, type Formula, range, total } from '../reference-tools';

// Larger than torch's default: where a row has two nearly equal values, 1e-5 bends the function too much for
// differences of step 1e-5.
const EPS = 0.05;

const layerNorm =
  (dims: 1 | 2, affine: boolean): Maker =>
  (sizes, random) => {
    const shape = [...sizes];
    const normalizedShape = shape.slice(-dims);
    const parameters = affine ? [reals(normalizedShape, random), reals(normalizedShape, random)] : [];
    return {
      op: 'norm/layer-norm',
      attrs: { normalizedShape, eps: EPS },
      inputs: [reals(shape, random), ...parameters],
    };
  };

/** Constants of the case: mean and invstd (or variance) of each channel of x, as norm/batch-norm-stats gives them. */
const constants = (data: readonly number[]): CaseInput => ({
  type: { shape: [data.length], dtype: 'f32' },
  data: Float32Array.from(data),
  wrt: false,
});

const batchNorm =
  (affine: boolean, kind: 'image' | 'fours' | 'rows'): Maker =>
  ([a, b, c], random) => {
    const shape = { image: [a + 1, b, c], fours: [a + 1, b, 4], rows: [a * c + 1, b] }[kind];
    const x = reals(shape, random);
    const moments = channelMoments({ shape: x.type.shape, data: [...x.data] });
    const mean = constants(moments.map((m) => m.mean));
    const invstd = constants(moments.map((m) => 1 / Math.sqrt(m.variance + EPS)));
    const parameters = affine ? [reals([b], random), reals([b], random)] : [];
    return { op: 'norm/batch-norm', attrs: { eps: EPS }, inputs: [x, mean, invstd, ...parameters] };
  };

const batchNormEval =
  (affine: boolean): Maker =>
  ([a, b, c], random) => {
    const variance = constants(range(b).map(() => 0.1 + random()));
    const parameters = affine ? [reals([b], random), reals([b], random)] : [];
    const inputs = [reals([a, b, c], random), reals([b], random, false), variance, ...parameters];
    return { op: 'norm/batch-norm-eval', attrs: { eps: EPS }, inputs };
  };

const groupNorm =
  (affine: boolean): Maker =>
  ([a, b, c], random) => {
    const groups = a;
    const channels = a * b;
    const parameters = affine ? [reals([channels], random), reals([channels], random)] : [];
    return {
      op: 'norm/group-norm',
      attrs: { groups, eps: EPS },
      inputs: [reals([2, channels, c], random), ...parameters],
    };
  };

export const NORM_CASES: Readonly<Record<string, Maker>> = {
  'layer norm': layerNorm(1, true),
  'layer norm without parameters': layerNorm(2, false),
  'batch norm of images': batchNorm(true, 'image'),
  'batch norm of planes of four': batchNorm(true, 'fours'),
  'batch norm of rows': batchNorm(true, 'rows'),
  'batch norm without parameters': batchNorm(false, 'image'),
  'batch norm in evaluation': batchNormEval(true),
  'batch norm in evaluation without parameters': batchNormEval(false),
  'group norm': groupNorm(true),
  'group norm without parameters': groupNorm(false),
};

function momentsOf(values: readonly number[]) {
  const mean = total(values) / values.length;
  return { mean, variance: total(values.map((v) => (v - mean) ** 2)) / values.length };
}

/** Index of the channel of every element of [N, C, ...]. */
const channelOf = (shape: Shape) => {
  const [, channels = 1, ...rest] = shape;
  return (i: number): number => Math.floor(i / elements(rest)) % channels;
};

function channelMoments(x: Doubles) {
  const channel = channelOf(x.shape);
  return range(x.shape[1] ?? 1).map((c) => momentsOf(x.data.filter((_, i) => channel(i) === c)));
}

/** Weight and bias, if there are, and which of their elements belongs to element i. */
interface Parameters {
  readonly all: readonly (Doubles | undefined)[];
  readonly of: (i: number) => number;
}

/**
 * (v - mean) / sqrt(variance + eps) weight + bias, with the moments of the group of i and the parameters of i.
 */
function normalized(
  x: Doubles,
  moments: readonly { readonly mean: number; readonly variance: number }[],
  group: (i: number) => number,
  { all: [weight, bias], of: parameter }: Parameters,
  attrs: Attrs,
): number[] {
  return x.data.map((v, i) => {
    const { mean = 0, variance = 0 } = moments[group(i)] ?? {};
    const k = parameter(i);
    const gain = weight ? el(weight.data, k) : 1;
    return ((v - mean) / Math.sqrt(variance + Number(attrs.eps))) * gain + (bias ? el(bias.data, k) : 0);
  });
}

/** Normalises stretches of `size` elements. */
function stretches(x: Doubles, size: number, parameters: Parameters, attrs: Attrs) {
  const moments = range(x.data.length / size).map((s) => momentsOf(x.data.slice(s * size, (s + 1) * size)));
  return normalized(x, moments, (i) => Math.floor(i / size), parameters, attrs);
}

export const NORM_REFERENCE: Readonly<Record<string, Formula>> = {
  'norm/layer-norm'(inputs, attrs) {
    const size = elements(attrs.normalizedShape as readonly number[]);
    return stretches(arg(inputs, 0), size, { all: inputs.slice(1), of: (i) => i % size }, attrs);
  },
  /** mean and invstd are computed anew from x: differences of this formula give the complete gradient. */
  'norm/batch-norm'(inputs, attrs) {
    const x = arg(inputs, 0);
    const channel = channelOf(x.shape);
    return normalized(x, channelMoments(x), channel, { all: inputs.slice(3), of: channel }, attrs);
  },
  'norm/batch-norm-eval'(inputs, attrs) {
    const [x, mean, variance] = [arg(inputs, 0), arg(inputs, 1), arg(inputs, 2)];
    const channel = channelOf(x.shape);
    const moments = mean.data.map((m, c) => ({ mean: m, variance: el(variance.data, c) }));
    return normalized(x, moments, channel, { all: inputs.slice(3), of: channel }, attrs);
  },
  'norm/group-norm'(inputs, attrs) {
    const x = arg(inputs, 0);
    const size = x.data.length / ((x.shape[0] ?? 1) * Number(attrs.groups));
    return stretches(x, size, { all: inputs.slice(1), of: channelOf(x.shape) }, attrs);
  },
};

const affine = (c: RecipeContext) => (c.has('weight') ? [c.input('weight'), c.input('bias')] : []);

export const NORM_RECIPES: Readonly<Record<string, Recipe>> = {
  layer_norm: (c) =>
    c.apply('norm/layer-norm', [c.input('x'), ...affine(c)], {
      normalizedShape: c.case.attrs.normalized_shape as readonly number[],
      eps: Number(c.case.attrs.eps),
    }),
  group_norm: (c) =>
    c.apply('norm/group-norm', [c.input('x'), ...affine(c)], {
      groups: Number(c.case.attrs.groups),
      eps: Number(c.case.attrs.eps),
    }),
  batch_norm(c) {
    const { attrs } = c.case;
    const running = (name: string) => {
      const data = Float32Array.from(attrs[`${name}_before`] as readonly number[]);
      return c.constant(name, { shape: [data.length], data });
    };
    const [mean, variance] = [running('running_mean'), running('running_var')];
    const after = { running_mean: mean, running_var: variance };
    const x = c.input('x');
    const eps = Number(attrs.eps);
    if (attrs.training !== true)
      return { out: c.apply('norm/batch-norm-eval', [x, mean, variance, ...affine(c)], { eps }), after };
    const tracked = c.constant('num_batches_tracked', { shape: [1], data: Int32Array.of(0) });
    const [batchMean = x, invstd = x] = c.builder.apply(
      'norm/batch-norm-stats',
      [x, mean, variance, tracked],
      { eps, momentum: Number(attrs.momentum) },
      {
        module: '0',
        phase: 'forward',
        names: ['mean', 'invstd'],
        into: [undefined, undefined, mean, variance, tracked],
      },
    );
    return { out: c.apply('norm/batch-norm', [x, batchMean, invstd, ...affine(c)], { eps }), after };
  },
};
