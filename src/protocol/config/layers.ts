/**
 * The layers of a model: torch.nn's modules by their names, with its arguments and defaults. `model.layers` is an
 * nn.Sequential of them. A layer's parameters are named '<index>.weight' as in a Sequential, or '<name>.weight' if it
 * has a `name`; an empty name adds no prefix.
 */
import * as v from 'valibot';
import { count, LIMITS, pair, real } from './fields';

const units = count(1, LIMITS.units);
const vocabulary = count(1, LIMITS.vocabulary);
const size = pair(1, 64);
const name = v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z_0-9.]*$/)));
const eps = (value: number) => v.optional(real(0, 1), value);
const p = v.optional(real(0, 1), 0.5);
/** Whether a last window that reaches beyond the image counts, too. */
const ceilMode = v.optional(v.boolean(), false);

const plain = <const T extends string>(type: T) => v.strictObject({ type: v.literal(type), name });

const conv = {
  in: units,
  out: units,
  kernel: size,
  stride: v.optional(pair(1, 64), 1),
  /** 'same': as much as keeps height and width, for stride 1; 'valid': none. */
  padding: v.optional(v.union([pair(0, 64), v.picklist(['same', 'valid'])]), 0),
  dilation: v.optional(pair(1, 16), 1),
  groups: v.optional(units, 1),
  bias: v.optional(v.boolean(), true),
  name,
};
const batchNorm = {
  features: units,
  eps: eps(1e-5),
  momentum: v.optional(real(0, 1), 0.1),
  affine: v.optional(v.boolean(), true),
  name,
};

const leaf = v.variant('type', [
  v.strictObject({
    type: v.literal('Linear'),
    in: units,
    out: vocabulary,
    bias: v.optional(v.boolean(), true),
    /**
     * Full name of a parameter [out, in] of an earlier layer to use as the weight (an embedding's, for a GPT's head).
     */
    tied: v.optional(v.string()),
    name,
  }),
  plain('ReLU'),
  plain('Tanh'),
  plain('Sigmoid'),
  v.strictObject({ type: v.literal('GELU'), approximate: v.optional(v.picklist(['none', 'tanh']), 'none'), name }),
  v.strictObject({ type: v.literal('LeakyReLU'), negativeSlope: v.optional(real(0, 10), 0.01), name }),
  v.strictObject({ type: v.literal('ELU'), alpha: v.optional(real(0, 10), 1), name }),
  plain('SiLU'),
  plain('Softplus'),
  plain('Softmax'),
  plain('LogSoftmax'),
  v.strictObject({ type: v.literal('Dropout'), p, name }),
  plain('Flatten'),
  v.strictObject({ type: v.literal('Conv2d'), ...conv }),
  v.strictObject({
    type: v.literal('MaxPool2d'),
    kernel: size,
    /** Absent: the kernel's size. */
    stride: v.optional(pair(1, 64)),
    padding: v.optional(pair(0, 32), 0),
    ceilMode,
    name,
  }),
  v.strictObject({
    type: v.literal('AvgPool2d'),
    kernel: size,
    stride: v.optional(pair(1, 64)),
    padding: v.optional(pair(0, 32), 0),
    ceilMode,
    countIncludePad: v.optional(v.boolean(), true),
    name,
  }),
  v.strictObject({ type: v.literal('AdaptiveAvgPool2d'), output: pair(1, 64), name }),
  v.strictObject({ type: v.literal('BatchNorm1d'), ...batchNorm }),
  v.strictObject({ type: v.literal('BatchNorm2d'), ...batchNorm }),
  v.strictObject({
    type: v.literal('LayerNorm'),
    /** normalized_shape: the last dimension's size. */
    features: units,
    eps: eps(1e-5),
    affine: v.optional(v.boolean(), true),
    /** Used only if `affine` is true. */
    bias: v.optional(v.boolean(), true),
    name,
  }),
  v.strictObject({
    type: v.literal('GroupNorm'),
    groups: units,
    channels: units,
    eps: eps(1e-5),
    affine: v.optional(v.boolean(), true),
    name,
  }),
  v.strictObject({
    type: v.literal('Embedding'),
    vocab: vocabulary,
    width: units,
    paddingIdx: v.optional(count(0, 8191)),
    name,
  }),
  /**
   * Token embedding plus a learned position embedding: parameters tok.weight [vocab, width], pos.weight [context,
   * width].
   */
  v.strictObject({
    type: v.literal('TokenEmbedding'),
    vocab: vocabulary,
    context: count(1, LIMITS.context),
    width: units,
    name,
  }),
  /** Self-attention as nn.MultiheadAttention(width, heads, batch_first=True) with query = key = value. */
  v.strictObject({
    type: v.literal('MultiheadAttention'),
    width: units,
    heads: count(1, 64),
    bias: v.optional(v.boolean(), true),
    causal: v.optional(v.boolean(), false),
    name,
  }),
  /**
   * Pre-norm decoder block: x += proj(attention(qkv(ln1(x)))); x += fc2(gelu(fc1(ln2(x)))). Parameters ln1, qkv, proj,
   * ln2, fc1, fc2.
   */
  v.strictObject({
    type: v.literal('TransformerBlock'),
    width: units,
    heads: count(1, 64),
    /** Width of the hidden layer, as a multiple of `width`. */
    expansion: v.optional(count(1, 16), 4),
    causal: v.optional(v.boolean(), true),
    dropout: v.optional(real(0, 0.99), 0),
    name,
  }),
]);

export type LeafLayer = v.InferOutput<typeof leaf>;
type LeafInput = v.InferInput<typeof leaf>;

/**
 * y = layers(x) + shortcut(x); without a shortcut the input itself. Parameters '<prefix>.layers.0.weight',
 * '<prefix>.shortcut.0.weight'.
 */
export interface ResidualLayer {
  readonly type: 'Residual';
  readonly layers: LayerConfig[];
  readonly shortcut?: LayerConfig[] | undefined;
  readonly name?: string | undefined;
}
/** Modules that forward() does not call: their parameters get no gradient. Parameters '<prefix>.0.weight'. */
export interface UnusedLayer {
  readonly type: 'Unused';
  readonly layers: LayerConfig[];
  readonly name?: string | undefined;
}
export type LayerConfig = LeafLayer | ResidualLayer | UnusedLayer;
export type LayerType = LayerConfig['type'];
export type LayerOf<T extends LayerType> = Extract<LayerConfig, { type: T }>;

interface ResidualInput {
  readonly type: 'Residual';
  readonly layers: LayerInput[];
  readonly shortcut?: LayerInput[] | undefined;
  readonly name?: string | undefined;
}
interface UnusedInput {
  readonly type: 'Unused';
  readonly layers: LayerInput[];
  readonly name?: string | undefined;
}
export type LayerInput = LeafInput | ResidualInput | UnusedInput;

const inner = v.pipe(
  v.array(v.lazy((): v.GenericSchema<LayerInput, LayerConfig> => layerSchema)),
  v.minLength(1),
  v.maxLength(LIMITS.layers),
);

export const layerSchema: v.GenericSchema<LayerInput, LayerConfig> = v.variant('type', [
  leaf,
  v.strictObject({ type: v.literal('Residual'), layers: inner, shortcut: v.optional(inner), name }),
  v.strictObject({ type: v.literal('Unused'), layers: inner, name }),
]);
