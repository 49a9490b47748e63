/**
 * Decoders by their shapes: GPT-2 (LayerNorm, GELU, biases, learned positions, the head tied to the embedding) and
 * Llama 2 (RMSNorm, SwiGLU, no biases, a head of its own, grouped queries in the 70B). Attention is
 * `scaled_dot_product_attention` with a flash kernel: it keeps no matrix of scores. What a block keeps per token is
 * counted tensor by tensor; for GPT-2 it comes to the 34 bytes per hidden unit of Korthikanti et al. (2022), table 2.
 */
import { GPT_2_SMALL } from '../protocol/large-presets';
import type { Layer, Model, ModelPart } from './model';

interface Shape {
  readonly id: string;
  readonly label: string;
  readonly family: 'gpt2' | 'llama';
  readonly blocks: number;
  readonly hidden: number;
  readonly heads: number;
  /** The heads of keys and values; fewer than `heads` with grouped queries. */
  readonly keyHeads: number;
  readonly feedForward: number;
  readonly vocabulary: number;
  readonly context: number;
  readonly data: Model['data'];
}

const BYTES = 2;

interface Projection {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly bias: boolean;
}

/** A linear layer over all tokens of a row. `kept`: bytes for one token. */
function linear({ name, from, to, bias }: Projection, tokens: number, kept: number): Layer {
  return {
    name,
    parameters: bias ? [from * to, to] : [from * to],
    macs: tokens * from * to,
    moved: tokens * (from + to),
    kept: tokens * kept,
    kernels: 1,
  };
}

/** A norm keeps its input; its output is kept once, for the projections that read it. */
const norm = (name: string, { hidden, context, family }: Shape): Layer => ({
  name,
  parameters: family === 'gpt2' ? [hidden, hidden] : [hidden],
  macs: 0,
  moved: 2 * context * hidden,
  kept: context * 2 * BYTES * hidden,
  kernels: 1,
});

/** Scores and values of the causal half; keeps queries, keys, values, and two more tensors that backward reads. */
function attention({ hidden, heads, keyHeads, context }: Shape): Layer {
  const keys = (hidden / heads) * keyHeads;
  return {
    name: 'attention',
    parameters: [],
    macs: context * context * hidden,
    moved: context * (2 * hidden + 2 * keys),
    kept: context * BYTES * (hidden + 2 * keys),
    kernels: 1,
  };
}

/** Dropout of GPT-2 keeps a mask of one byte per element; the sum with the residual stream keeps nothing. */
const residual = ({ hidden, context, family }: Shape): Layer => ({
  name: 'residual',
  parameters: [],
  macs: 0,
  moved: 3 * context * hidden,
  kept: family === 'gpt2' ? context * hidden : 0,
  kernels: family === 'gpt2' ? 2 : 1,
});

function feedForward(shape: Shape): readonly Layer[] {
  const { hidden, feedForward: wide, context, family } = shape;
  const of = (name: string, from: number, to: number, kept: number) =>
    linear({ name, from, to, bias: family === 'gpt2' }, context, kept);
  const between = (kernels: number, keptPerToken: number, moved: number): Layer => ({
    name: family === 'gpt2' ? 'gelu' : 'silu and product',
    parameters: [],
    macs: 0,
    moved: context * moved,
    kept: context * keptPerToken,
    kernels,
  });
  // GELU keeps its input, the second projection the output.
  if (family === 'gpt2')
    return [of('up', hidden, wide, 0), between(1, 2 * BYTES * wide, 2 * wide), of('down', wide, hidden, 0)];
  // SiLU keeps its input, the product both factors, the last projection the product.
  return [
    of('gate', hidden, wide, 0),
    of('up', hidden, wide, 0),
    between(2, 4 * BYTES * wide, 5 * wide),
    of('down', wide, hidden, 0),
  ];
}

function block(shape: Shape, index: number): ModelPart {
  const { hidden, heads, keyHeads, context, family } = shape;
  const bias = family === 'gpt2';
  const keys = (hidden / heads) * keyHeads;
  const queries =
    family === 'gpt2'
      ? [linear({ name: 'qkv', from: hidden, to: 3 * hidden, bias }, context, 0)]
      : [
          linear({ name: 'q', from: hidden, to: hidden, bias }, context, 0),
          linear({ name: 'k', from: hidden, to: keys, bias }, context, 0),
          linear({ name: 'v', from: hidden, to: keys, bias }, context, 0),
        ];
  const layers = [
    norm('norm 1', shape),
    ...queries,
    attention(shape),
    linear({ name: 'out', from: hidden, to: hidden, bias }, context, BYTES * hidden),
    residual(shape),
    norm('norm 2', shape),
    ...feedForward(shape),
    residual(shape),
  ];
  return { name: `block ${index}`, layers, output: context * hidden };
}

function embedding({ hidden, vocabulary, context, family }: Shape): ModelPart {
  const layer: Layer = {
    name: 'embedding',
    parameters: family === 'gpt2' ? [vocabulary * hidden, context * hidden] : [vocabulary * hidden],
    macs: 0,
    moved: 2 * context * hidden,
    kept: 8 * context,
    kernels: family === 'gpt2' ? 3 : 1,
  };
  return { name: 'embedding', layers: [layer], output: context * hidden };
}

/** Logits in 16 bits, and their log-softmax in 32. GPT-2's weights are those of the embedding. */
function head(shape: Shape): ModelPart {
  const { hidden, vocabulary, context, family } = shape;
  const own = linear({ name: 'head', from: hidden, to: vocabulary, bias: false }, context, 0);
  const projection = { ...own, parameters: family === 'gpt2' ? [] : own.parameters };
  const loss: Layer = {
    name: 'loss',
    parameters: [],
    macs: 0,
    moved: 4 * context * vocabulary,
    kept: context * vocabulary * (BYTES + 4),
    kernels: 2,
  };
  return { name: 'head', layers: [norm('norm', shape), projection, loss], output: context * vocabulary };
}

function decoder(shape: Shape): Model {
  const blocks = Array.from({ length: shape.blocks }, (_, index) => block(shape, index));
  return {
    id: shape.id,
    label: shape.label,
    row: `sequence of ${shape.context.toLocaleString('en-US')} tokens`,
    tokens: shape.context,
    data: shape.data,
    optimizer: 'AdamW',
    states: 2,
    parts: [embedding(shape), ...blocks, head(shape)],
    batchNorms: [],
  };
}

/** Rows: OpenWebText's 9 billion tokens, and the 2 trillion on which Llama 2 was trained. */
const WEBTEXT = { name: 'OpenWebText', rows: Math.floor(9.04e9 / 1024) };
const LLAMA_DATA = { name: 'two trillion tokens', rows: Math.floor(2e12 / 4096) };

const { vocab, context, width, heads, layers } = GPT_2_SMALL;

export const GPT_2: Model = decoder({
  ...{ id: 'gpt2', label: 'GPT-2', family: 'gpt2', blocks: layers, hidden: width, heads, keyHeads: heads },
  ...{ feedForward: 4 * width, vocabulary: vocab, context, data: WEBTEXT },
});

const llama = { family: 'llama', vocabulary: 32_000, context: 4096, data: LLAMA_DATA } as const;

export const LLAMA_7B: Model = decoder({
  ...{ ...llama, id: 'llama7b', label: 'Llama 2 7B', blocks: 32, hidden: 4096, heads: 32, keyHeads: 32 },
  feedForward: 11_008,
});

export const LLAMA_70B: Model = decoder({
  ...{ ...llama, id: 'llama70b', label: 'Llama 2 70B', blocks: 80, hidden: 8192, heads: 64, keyHeads: 8 },
  feedForward: 28_672,
});
