/**
 * How layers become a model in the listing: names, nesting, classes, ties. That the models draw the run's weights is
 * held in training/parity/script-losses.test.ts.
 */

import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { parameterList } from '../../nn/model';
import type { LayerConfig, LayerInput } from '../../protocol/config';
import { configSchema } from '../../protocol/config';
import { drops, modelCode, splitModelCode } from './model';
import { LISTING } from './script';

const parse = (layers: LayerInput[]): readonly LayerConfig[] =>
  v.parse(configSchema, { model: { layers } }).model.layers;
const lines = (layers: LayerInput[]): string => modelCode(parse(layers), 'rank').lines.join('\n');
const classes = (layers: LayerInput[]): string => modelCode(parse(layers), 'rank').classes.join('\n');

const gpt: LayerInput[] = [
  { type: 'TokenEmbedding', vocab: 9, context: 4, width: 8, name: '' },
  { type: 'TransformerBlock', width: 8, heads: 2, name: 'blocks.0' },
  { type: 'TransformerBlock', width: 8, heads: 2, name: 'blocks.1' },
  { type: 'LayerNorm', features: 8, name: 'ln_f' },
  { type: 'Linear', in: 8, out: 9, bias: false, tied: 'tok.weight', name: 'head' },
];

describe('the arguments of every layer', () => {
  test.each<[LayerInput, string]>([
    [{ type: 'Linear', in: 2, out: 3 }, 'nn.Linear(2, 3)'],
    [{ type: 'Linear', in: 2, out: 3, bias: false }, 'nn.Linear(2, 3, bias=False)'],
    [{ type: 'GELU', approximate: 'tanh' }, "nn.GELU(approximate='tanh')"],
    [{ type: 'LeakyReLU' }, 'nn.LeakyReLU()'],
    [{ type: 'LeakyReLU', negativeSlope: 0.2 }, 'nn.LeakyReLU(0.2)'],
    [{ type: 'ELU', alpha: 2 }, 'nn.ELU(alpha=2)'],
    [{ type: 'LogSoftmax' }, 'nn.LogSoftmax(dim=-1)'],
    [{ type: 'Dropout' }, 'nn.Dropout(0.5)'],
    [{ type: 'Conv2d', in: 2, out: 4, kernel: 3 }, 'nn.Conv2d(2, 4, 3)'],
    [
      {
        type: 'Conv2d',
        in: 2,
        out: 4,
        kernel: [3, 5],
        stride: 2,
        padding: [1, 2],
        dilation: 2,
        groups: 2,
        bias: false,
      },
      'nn.Conv2d(2, 4, (3, 5), stride=2, padding=(1, 2), dilation=2, groups=2, bias=False)',
    ],
    [{ type: 'Conv2d', in: 2, out: 4, kernel: 3, padding: 'same' }, "nn.Conv2d(2, 4, 3, padding='same')"],
    [{ type: 'MaxPool2d', kernel: 2 }, 'nn.MaxPool2d(2)'],
    [{ type: 'MaxPool2d', kernel: 2, ceilMode: true }, 'nn.MaxPool2d(2, ceil_mode=True)'],
    [
      { type: 'AvgPool2d', kernel: 3, padding: 1, countIncludePad: false },
      'nn.AvgPool2d(3, padding=1, count_include_pad=False)',
    ],
    [{ type: 'LayerNorm', features: 4, bias: false }, 'nn.LayerNorm(4, bias=False)'],
    [{ type: 'MaxPool2d', kernel: 2, stride: [2, 2] }, 'nn.MaxPool2d(2)'],
    [{ type: 'AvgPool2d', kernel: 3, stride: 1, padding: 1 }, 'nn.AvgPool2d(3, stride=1, padding=1)'],
    [{ type: 'AdaptiveAvgPool2d', output: [2, 3] }, 'nn.AdaptiveAvgPool2d((2, 3))'],
    [{ type: 'BatchNorm2d', features: 4, momentum: 0.2 }, 'nn.BatchNorm2d(4, momentum=0.2)'],
    [{ type: 'BatchNorm1d', features: 4, eps: 0.001, affine: false }, 'nn.BatchNorm1d(4, eps=0.001, affine=False)'],
    [{ type: 'LayerNorm', features: 4, affine: false }, 'nn.LayerNorm(4, elementwise_affine=False)'],
    [{ type: 'GroupNorm', groups: 2, channels: 4 }, 'nn.GroupNorm(2, 4)'],
    [{ type: 'Embedding', vocab: 5, width: 3, paddingIdx: 0 }, 'nn.Embedding(5, 3, padding_idx=0)'],
    [{ type: 'TokenEmbedding', vocab: 5, width: 3, context: 4 }, 'TokenEmbedding(5, 4, 3)'],
    [{ type: 'MultiheadAttention', width: 4, heads: 2 }, 'SelfAttention(4, 2, batch_first=True)'],
    [
      { type: 'MultiheadAttention', width: 4, heads: 2, bias: false, causal: true },
      'CausalSelfAttention(4, 2, bias=False, batch_first=True)',
    ],
    [{ type: 'TransformerBlock', width: 4, heads: 2 }, 'Block(4, 2)'],
    [
      { type: 'TransformerBlock', width: 4, heads: 2, expansion: 2, causal: false, dropout: 0.1 },
      'Block(4, 2, expansion=2, causal=False, dropout=0.1)',
    ],
    [
      { type: 'Residual', layers: [{ type: 'ReLU' }], shortcut: [{ type: 'Linear', in: 2, out: 2, name: 'fc' }] },
      'Residual(nn.Sequential(nn.ReLU()), shortcut=nn.Sequential(OrderedDict(fc=nn.Linear(2, 2))))',
    ],
  ])('%j', (layer, code) => {
    // In one line, whatever its length.
    const joined = lines([layer]).replace(/\n\s*/g, '').replaceAll(',)', ')');
    expect(joined.replaceAll(', ', ',')).toBe(`model = nn.Sequential(${code}).to(rank)`.replaceAll(', ', ','));
  });
});

test('names: an OrderedDict, nested for names with dots, with pairs for names that cannot be keywords in Python', () => {
  expect(
    lines([
      { type: 'ReLU', name: 'a' },
      { type: 'Tanh', name: 'b' },
    ]),
  ).toBe('model = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh())).to(rank)');
  expect(lines([{ type: 'ReLU', name: 'a' }, { type: 'Tanh' }])).toBe(
    "model = nn.Sequential(OrderedDict([\n    ('a', nn.ReLU()), ('1', nn.Tanh()),\n])).to(rank)",
  );
  expect(lines([{ type: 'ReLU', name: 'in' }])).toContain("('in', nn.ReLU())");
  expect(
    lines([
      { type: 'ReLU', name: 'x.0' },
      { type: 'Tanh', name: 'x.1' },
      { type: 'ELU', name: 'y.z' },
    ]),
  ).toBe(
    [
      'model = nn.Sequential(OrderedDict(',
      '    x=nn.Sequential(nn.ReLU(), nn.Tanh()),',
      '    y=nn.Sequential(OrderedDict(z=nn.ELU())),',
      ')).to(rank)',
    ].join('\n'),
  );
  expect(modelCode(parse([{ type: 'ReLU', name: 'a' }]), 'rank').imports).toEqual([
    'from collections import OrderedDict',
  ]);
  expect(modelCode(parse([{ type: 'ReLU' }]), 'rank').imports).toEqual([]);
});

test('a GPT whose embeddings have no prefix is a class, as a teacher would write it', () => {
  expect(lines(gpt)).toBe('model = Model().to(rank)');
  const text = classes(gpt);
  expect(text.slice(text.indexOf('class Model'))).toBe(`class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(9, 8)
        self.pos = nn.Embedding(4, 8)
        self.blocks = nn.Sequential(Block(8, 2), Block(8, 2))
        self.ln_f = nn.LayerNorm(8)
        self.head = nn.Linear(8, 9, bias=False)
        self.head.weight = self.tok.weight
    def forward(self, x):
        x = self.tok(x) + self.pos.weight[:x.shape[1]]
        x = self.blocks(x)
        x = self.ln_f(x)
        x = self.head(x)
        return x`);
  // The block is written out with what it has, and no more.
  expect(text).toContain('def __init__(self, width, heads):');
  expect(text).not.toMatch(/Dropout|self\.causal|class TokenEmbedding/);
  for (const { name } of parameterList(parse(gpt))) {
    const child = name.split('.').at(-2) ?? '';
    expect(text, name).toContain(`self.${child} = `);
  }
});

test('names that begin like the name of an earlier layer: the modules lie in each other, and each is called by itself', () => {
  const layers: LayerInput[] = [
    { type: 'Linear', in: 2, out: 5, name: 'a.b' },
    { type: 'Tanh' },
    { type: 'Linear', in: 5, out: 5, name: 'a.c.d' },
    { type: 'Linear', in: 5, out: 5, name: 'a.b.7', tied: 'a.c.d.weight' },
    { type: 'Tanh', name: 'a.b' },
  ];
  expect(modelCode(parse(layers), 'rank').classes.slice(3)).toEqual([
    '        self.a = nn.Sequential(OrderedDict(b=nn.Linear(2, 5)))',
    "        self.add_module('1', nn.Tanh())",
    "        self.a.add_module('c', nn.Module())",
    "        self.a.c.add_module('d', nn.Linear(5, 5))",
    "        self.a.b.add_module('7', nn.Linear(5, 5))",
    '        self.layer4 = nn.Tanh()',
    "        self.get_submodule('a.b.7').weight = self.a.c.d.weight",
    '    def forward(self, x):',
    '        x = self.a.b(x)',
    "        x = self.get_submodule('1')(x)",
    '        x = self.a.c.d(x)',
    "        x = self.get_submodule('a.b.7')(x)",
    '        x = self.layer4(x)',
    '        return x',
  ]);
});

test('a tie outside a class follows the model', () => {
  const layers: LayerInput[] = [
    { type: 'Embedding', vocab: 9, width: 8 },
    { type: 'Linear', in: 8, out: 9, tied: '0.weight' },
  ];
  expect(lines(layers).split('\n').at(-1)).toBe('model[1].weight = model[0].weight');
  expect(
    lines([{ ...layers[0], name: 'e' } as LayerInput, { ...layers[1], tied: 'e.weight' } as LayerInput]),
  ).toContain("model.get_submodule('1').weight = model.e.weight");
});

test('invalid names of modules are refused', () => {
  const twice: LayerInput[] = [
    { type: 'Linear', in: 2, out: 2, name: 'a' },
    { type: 'ReLU', name: 'b' },
    { type: 'Linear', in: 2, out: 2, name: 'a' },
  ];
  expect(classes(twice)).toContain('# some names differ from those in the run');
  expect(classes(gpt)).not.toContain('# some names');
});

test('model parallel: the layers of a class one by one, each on its device', () => {
  const { classes: text, lines: made } = splitModelCode(parse(gpt), [0, 0, 1, 1, 1], LISTING);
  expect(made).toEqual(['model = Model()']);
  const code = text.join('\n');
  expect(code).toContain("devices = [f'cuda:{i}' if gpus else 'cpu' for i in [0, 0, 1, 1, 1]]");
  expect(code).toContain('self.tok = nn.Embedding(9, 8).to(devices[0])');
  expect(code).toContain('return [*self.blocks, self.ln_f, self.head]');
  expect(code.match(/zip\(self\.layers\(\), devices\[1:\]\)/g)).toHaveLength(2);
});

test('masks are drawn by dropout of more than 0, also inside other layers', () => {
  expect(drops(parse([{ type: 'Dropout', p: 0 }]))).toBe(false);
  expect(drops(parse([{ type: 'Residual', layers: [{ type: 'Dropout', p: 0.1 }] }]))).toBe(true);
  expect(drops(parse([{ type: 'TransformerBlock', width: 2, heads: 1, dropout: 0.1 }]))).toBe(true);
});
