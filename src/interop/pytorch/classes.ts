/**
 * The classes that the listing defines where torch.nn has no module: a block of a GPT, embeddings with positions,
 * self-attention as a layer, a residual branch. Their parameters have our names, and are constructed in the order of
 * our draws. Called by model.ts.
 */
import type { LayerConfig, LayerOf } from '../../protocol/config';
import { allLayers } from './layers';

/** The classes that the model uses; `except` is a layer that the model defines itself. */
export function classCode(layers: readonly LayerConfig[], except: ReadonlySet<LayerConfig>): readonly string[] {
  const used = allLayers(layers).filter((layer) => !except.has(layer));
  const blocks = used.filter((layer): layer is LayerOf<'TransformerBlock'> => layer.type === 'TransformerBlock');
  const attention = used.filter((layer): layer is LayerOf<'MultiheadAttention'> => layer.type === 'MultiheadAttention');
  const has = (type: LayerConfig['type']): boolean => used.some((layer) => layer.type === type);
  return [
    ...(has('TokenEmbedding') ? TOKEN_EMBEDDING : []),
    ...(attention.some(({ causal }) => causal) ? selfAttention(true) : []),
    ...(attention.some(({ causal }) => !causal) ? selfAttention(false) : []),
    ...(blocks.length > 0 ? block(blocks) : []),
    ...(has('Residual') ? RESIDUAL : []),
    ...(has('Unused') ? UNUSED : []),
  ];
}

/**
 * Changes attention to use the heads and positions of the product, which differ from x's if a plan cuts the product.
 */
export const localHeads = (classes: readonly string[]): readonly string[] =>
  classes.flatMap((text) => LOCAL_HEADS.get(text.trim())?.map((line) => `        ${line}`) ?? [text]);

const LOCAL_HEADS: ReadonlyMap<string, readonly string[]> = new Map([
  ['n, t, width = x.shape', ['qkv = self.qkv(x)', 'n, t, width = qkv.shape']],
  ['for part in self.qkv(x).chunk(3, dim=-1)', ['    for part in qkv.chunk(3, dim=-1)']],
  [
    'scores = q @ k.transpose(2, 3) / (width / self.heads) ** 0.5',
    ['scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5'],
  ],
  [
    'return self.proj(values.transpose(1, 2).reshape(n, t, width))',
    ['return self.proj(values.transpose(1, 2).reshape(n, t, -1))'],
  ],
]);

/** Changes positions into a called module, so that a plan can cut them, too. */
export const calledPositions = (classes: readonly string[]): readonly string[] =>
  classes.map((text) =>
    text.replace('self.pos.weight[:x.shape[1]]', 'self.pos(torch.arange(x.shape[1], device=x.device))'),
  );

const TOKEN_EMBEDDING = [
  'class TokenEmbedding(nn.Module):',
  '    def __init__(self, vocab, context, width):',
  '        super().__init__()',
  '        self.tok = nn.Embedding(vocab, width)',
  '        self.pos = nn.Embedding(context, width)',
  '    def forward(self, x):',
  '        return self.tok(x) + self.pos.weight[:x.shape[1]]',
];

const RESIDUAL = [
  'class Residual(nn.Module):',
  '    def __init__(self, layers, shortcut=None):',
  '        super().__init__()',
  '        self.layers = layers',
  '        self.shortcut = shortcut or nn.Identity()',
  '    def forward(self, x):',
  '        return self.layers(x) + self.shortcut(x)',
];

const UNUSED = [
  'class Unused(nn.Sequential):',
  '    def forward(self, x):',
  '        return x  # its modules are never called',
];

/** How the forward passes of both attention classes end. */
const OUTPUT_ONLY = 'need_weights=False)[0]';

/**
 * For pipelines, whose stages send only contiguous tensors: the output of torch's attention and the gradient of its
 * input are transposed views.
 */
export const contiguousAttention = (classes: readonly string[]): readonly string[] =>
  classes.flatMap((text) => (text.endsWith(OUTPUT_ONLY) ? [...CONTIGUOUS_GRADIENT, `${text}.contiguous()`] : [text]));

const CONTIGUOUS_GRADIENT = [
  '        if x.requires_grad:  # stages send contiguous tensors, forward and backward',
  '            x.register_hook(torch.Tensor.contiguous)',
];

const MASK = 'torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)';

function selfAttention(causal: boolean): readonly string[] {
  if (!causal) {
    return [
      'class SelfAttention(nn.MultiheadAttention):',
      '    def forward(self, x):',
      `        return super().forward(x, x, x, ${OUTPUT_ONLY}`,
    ];
  }
  return [
    'class CausalSelfAttention(nn.MultiheadAttention):',
    '    def forward(self, x):',
    '        t = x.shape[1]',
    `        later = ${MASK}`,
    `        return super().forward(x, x, x, attn_mask=later, ${OUTPUT_ONLY}`,
  ];
}

/** Writes only what the model's blocks need: dropout only if used, a choice of causal only if blocks differ. */
function block(blocks: readonly LayerOf<'TransformerBlock'>[]): readonly string[] {
  const expands = blocks.some(({ expansion }) => expansion !== 4);
  const drops = blocks.some(({ dropout }) => dropout > 0);
  const open = blocks.some(({ causal }) => !causal);
  const args = [
    'width',
    'heads',
    ...(expands ? ['expansion=4'] : []),
    ...(open ? ['causal=True'] : []),
    ...(drops ? ['dropout=0'] : []),
  ];
  const hidden = expands ? 'expansion * width' : '4 * width';
  const drop = (name: string, code: string): string => (drops ? `self.${name}(${code})` : code);
  return [
    'class Block(nn.Module):',
    `    def __init__(self, ${args.join(', ')}):`,
    '        super().__init__()',
    `        self.heads${open ? ', self.causal' : ''} = heads${open ? ', causal' : ''}`,
    '        self.ln1 = nn.LayerNorm(width)',
    '        self.qkv = nn.Linear(width, 3 * width)',
    '        self.proj = nn.Linear(width, width)',
    '        self.ln2 = nn.LayerNorm(width)',
    `        self.fc1 = nn.Linear(width, ${hidden})`,
    `        self.fc2 = nn.Linear(${hidden}, width)`,
    ...(drops ? ['        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)'] : []),
    '    def attention(self, x):',
    '        n, t, width = x.shape',
    '        q, k, v = (',
    '            part.reshape(n, t, self.heads, -1).transpose(1, 2)',
    '            for part in self.qkv(x).chunk(3, dim=-1)',
    '        )',
    '        scores = q @ k.transpose(2, 3) / (width / self.heads) ** 0.5',
    ...(open ? ['        if self.causal:'] : []),
    `        ${open ? '    ' : ''}later = ${MASK}`,
    `        ${open ? '    ' : ''}scores = scores.masked_fill(later, -torch.inf)`,
    '        values = scores.softmax(-1) @ v',
    '        return self.proj(values.transpose(1, 2).reshape(n, t, width))',
    '    def forward(self, x):',
    `        x = x + ${drop('drop1', 'self.attention(self.ln1(x))')}`,
    '        hidden = nn.functional.gelu(self.fc1(self.ln2(x)))',
    `        return x + ${drop('drop2', 'self.fc2(hidden)')}`,
  ];
}
