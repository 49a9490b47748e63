/**
 * Default initialisation of modules, drawn like the constructors of `torch.nn`: bounds in double precision, values with
 * `uniform_`. The order of the draws (within a module as here; modules in construction order) makes a seed give
 * PyTorch's parameters. Arrays are row-major in the shape that torch stores. Recurrent and bilinear modules are in
 * `init-recurrent.ts`.
 */
import type { Generator } from './generator';
import { fanInOf, kaimingUniform, xavierUniform } from './init-fill';
import type { Shape } from './shape';

export type DrawnWeights = Float32Array<ArrayBuffer>;

export interface WeightAndBias {
  readonly weight: DrawnWeights;
  /** Undefined for `bias=False`. */
  readonly bias: DrawnWeights | undefined;
}

/** `nn.Linear(in, out, bias)`: weight [out, in], bias [out]. */
export function initLinear(
  generator: Generator,
  inFeatures: number,
  outFeatures: number,
  bias: boolean,
): WeightAndBias {
  return weightThenBias(generator, [outFeatures, inFeatures], bias ? outFeatures : 0);
}

/** `nn.Conv1d` and `nn.Conv2d`: weight of `shape` [out, in / groups, ...kernel], bias [out]. */
export function initConv(generator: Generator, shape: Shape, bias: boolean): WeightAndBias {
  return weightThenBias(generator, shape, bias ? (shape[0] ?? 0) : 0);
}

/**
 * `nn.ConvTranspose1d` and `2d`: weight of `shape` [in, out / groups, ...kernel], bias [out]. Torch takes fan_in as
 * size(1) here too.
 */
export function initConvTranspose(generator: Generator, shape: Shape, groups: number, bias: boolean): WeightAndBias {
  return weightThenBias(generator, shape, bias ? (shape[1] ?? 0) * groups : 0);
}

/** kaiming_uniform_(a = sqrt(5)) for the weight, then +-1 / sqrt(fan_in) for a bias of `biasSize` (0: none). */
function weightThenBias(generator: Generator, shape: Shape, biasSize: number): WeightAndBias {
  const weight = kaimingUniform(generator, shape, { a: Math.sqrt(5) });
  if (biasSize === 0) return { weight, bias: undefined };
  return { weight, bias: uniformBias(generator, fanInOf(shape), biasSize) };
}

function uniformBias(generator: Generator, fanIn: number, size: number): DrawnWeights {
  const bound = 1 / Math.sqrt(fanIn);
  return generator.uniform(size, -bound, bound);
}

/** The bias of `nn.Linear(in, out)`, which is drawn after the weight. */
export const initLinearBias = (generator: Generator, inFeatures: number, outFeatures: number): DrawnWeights =>
  uniformBias(generator, inFeatures, outFeatures);

/** `nn.Embedding(num, dim, padding_idx)`: normal_(0, 1) over all of [num, dim], then the padding row set to zero. */
export function initEmbedding(
  generator: Generator,
  numEmbeddings: number,
  embeddingDim: number,
  paddingIdx?: number,
): DrawnWeights {
  const weight = generator.randn(numEmbeddings * embeddingDim);
  if (paddingIdx !== undefined) weight.fill(0, paddingIdx * embeddingDim, (paddingIdx + 1) * embeddingDim);
  return weight;
}

/** `nn.LayerNorm`, `BatchNorm1d/2d`, `GroupNorm` of n elements or channels: ones and zeros, no draw. */
export function initNorm(n: number): { readonly weight: DrawnWeights; readonly bias: DrawnWeights } {
  return { weight: new Float32Array(n).fill(1), bias: new Float32Array(n) };
}

/** `nn.PReLU(num_parameters)`: 0.25, no draw. */
export const initPrelu = (n: number): DrawnWeights => new Float32Array(n).fill(0.25);

export interface MultiheadAttentionParameters {
  /** [3 e, e]: query, key, value. */
  readonly inProjWeight: DrawnWeights;
  readonly inProjBias: DrawnWeights | undefined;
  readonly outProjWeight: DrawnWeights;
  readonly outProjBias: DrawnWeights | undefined;
}

/**
 * `nn.MultiheadAttention(e, heads, bias)`: out_proj is constructed, and drawn, first; in_proj_weight follows with
 * xavier_uniform_. Both biases end up zero, although out_proj's was drawn.
 */
export function initMultiheadAttention(
  generator: Generator,
  embedDim: number,
  bias: boolean,
): MultiheadAttentionParameters {
  const { weight, bias: drawnBias } = initLinear(generator, embedDim, embedDim, bias);
  return {
    inProjWeight: xavierUniform(generator, [3 * embedDim, embedDim]),
    inProjBias: bias ? new Float32Array(3 * embedDim) : undefined,
    outProjWeight: weight,
    outProjBias: drawnBias?.fill(0),
  };
}

export interface CrossAttentionParameters extends Omit<MultiheadAttentionParameters, 'inProjWeight'> {
  readonly qProjWeight: DrawnWeights;
  readonly kProjWeight: DrawnWeights;
  readonly vProjWeight: DrawnWeights;
}

/**
 * `nn.MultiheadAttention(e, heads, bias, kdim=..., vdim=...)`: three weights [e, e], [e, kdim], [e, vdim] in place of
 * in_proj_weight.
 */
export function initCrossAttention(
  generator: Generator,
  embedDim: number,
  kdim: number,
  vdim: number,
  bias: boolean,
): CrossAttentionParameters {
  const { weight, bias: drawnBias } = initLinear(generator, embedDim, embedDim, bias);
  return {
    qProjWeight: xavierUniform(generator, [embedDim, embedDim]),
    kProjWeight: xavierUniform(generator, [embedDim, kdim]),
    vProjWeight: xavierUniform(generator, [embedDim, vdim]),
    inProjBias: bias ? new Float32Array(3 * embedDim) : undefined,
    outProjWeight: weight,
    outProjBias: drawnBias?.fill(0),
  };
}

/**
 * `nn.TransformerEncoderLayer(e, heads, feedforward)`; `nn.TransformerEncoder` copies it, so that all its layers start
 * equal.
 */
export function initTransformerEncoderLayer(generator: Generator, embedDim: number, feedforward: number) {
  return {
    selfAttn: initMultiheadAttention(generator, embedDim, true),
    linear1: initLinear(generator, embedDim, feedforward, true),
    linear2: initLinear(generator, feedforward, embedDim, true),
    norm1: initNorm(embedDim),
    norm2: initNorm(embedDim),
  };
}
