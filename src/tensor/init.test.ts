/**
 * Initial parameters of every module of fixtures/init.json, and the functions of nn.init, against torch 1.13.1, bit for
 * bit.
 */
import { expect, test } from 'vitest';
import { fingerprint, type StoredTensor } from './fixtures/decode';
import fixtures from './fixtures/init.json';
import { Generator } from './generator';
import {
  initConv,
  initConvTranspose,
  initCrossAttention,
  initEmbedding,
  initLinear,
  initMultiheadAttention,
  initNorm,
  initPrelu,
  initTransformerEncoderLayer,
  type MultiheadAttentionParameters,
  type WeightAndBias,
} from './init';
import {
  calculateGain,
  type KaimingOptions,
  kaimingNormal,
  kaimingUniform,
  xavierNormal,
  xavierUniform,
} from './init-fill';
import { initBilinear, initRecurrent } from './init-recurrent';

type Named = Record<string, Float32Array | undefined>;
interface Case {
  readonly seed: number;
  readonly expr: string;
  readonly shape?: readonly number[];
  readonly kw?: KaimingOptions & { gain?: number; mean?: number; std?: number; a?: number; b?: number };
  readonly params: Record<string, StoredTensor>;
  readonly next_rand2: readonly number[];
}

const named = ({ weight, bias }: WeightAndBias): Named => ({ weight, bias });
const attention = (p: Omit<MultiheadAttentionParameters, 'inProjWeight'>): Named => ({
  in_proj_bias: p.inProjBias,
  'out_proj.weight': p.outProjWeight,
  'out_proj.bias': p.outProjBias,
});
const selfAttention = (p: MultiheadAttentionParameters): Named => ({ in_proj_weight: p.inProjWeight, ...attention(p) });
const prefixed = (prefix: string, parameters: Named): Named =>
  Object.fromEntries(Object.entries(parameters).map(([name, data]) => [`${prefix}.${name}`, data]));

function encoderLayer(g: Generator): Named {
  const { selfAttn, linear1, linear2, norm1, norm2 } = initTransformerEncoderLayer(g, 8, 16);
  return {
    ...prefixed('self_attn', selfAttention(selfAttn)),
    ...prefixed('linear1', named(linear1)),
    ...prefixed('linear2', named(linear2)),
    ...prefixed('norm1', { ...norm1 }),
    ...prefixed('norm2', { ...norm2 }),
  };
}

function recurrent(g: Generator, type: 'RNN' | 'LSTM' | 'GRU'): Named {
  const { weightIh, weightHh, biasIh, biasHh } = initRecurrent(g, type, 3, 4);
  return { weight_ih_l0: weightIh, weight_hh_l0: weightHh, bias_ih_l0: biasIh, bias_hh_l0: biasHh };
}

const MODULES: Record<string, (g: Generator) => Named> = {
  'nn.Linear(10,1)': (g) => named(initLinear(g, 10, 1, true)),
  'nn.Linear(2,8)': (g) => named(initLinear(g, 2, 8, true)),
  'nn.Linear(8,8)': (g) => named(initLinear(g, 8, 8, true)),
  'nn.Linear(16,3,bias=False)': (g) => named(initLinear(g, 16, 3, false)),
  'nn.Linear(784,128)': (g) => named(initLinear(g, 784, 128, true)),
  'nn.Sequential(nn.Linear(2,8),nn.Tanh(),nn.Linear(8,8),nn.Tanh(),nn.Linear(8,1))': (g) => ({
    ...prefixed('0', named(initLinear(g, 2, 8, true))),
    ...prefixed('2', named(initLinear(g, 8, 8, true))),
    ...prefixed('4', named(initLinear(g, 8, 1, true))),
  }),
  'nn.Conv2d(1,8,3,padding=1)': (g) => named(initConv(g, [8, 1, 3, 3], true)),
  'nn.Conv2d(3,6,5)': (g) => named(initConv(g, [6, 3, 5, 5], true)),
  'nn.Conv2d(4,8,3,groups=2)': (g) => named(initConv(g, [8, 2, 3, 3], true)),
  'nn.Conv2d(2,4,(3,2),bias=False)': (g) => named(initConv(g, [4, 2, 3, 2], false)),
  'nn.Conv1d(2,4,3)': (g) => named(initConv(g, [4, 2, 3], true)),
  'nn.ConvTranspose2d(3,4,2,stride=2)': (g) => named(initConvTranspose(g, [3, 4, 2, 2], 1, true)),
  'nn.Embedding(10,3)': (g) => ({ weight: initEmbedding(g, 10, 3) }),
  'nn.Embedding(4,3)': (g) => ({ weight: initEmbedding(g, 4, 3) }),
  'nn.Embedding(7,4,padding_idx=0)': (g) => ({ weight: initEmbedding(g, 7, 4, 0) }),
  'nn.LayerNorm(8)': () => ({ ...initNorm(8) }),
  'nn.BatchNorm2d(4)': () => ({ ...initNorm(4) }),
  'nn.GroupNorm(2,4)': () => ({ ...initNorm(4) }),
  'nn.MultiheadAttention(8,2)': (g) => selfAttention(initMultiheadAttention(g, 8, true)),
  'nn.MultiheadAttention(8,2,bias=False)': (g) => selfAttention(initMultiheadAttention(g, 8, false)),
  'nn.MultiheadAttention(8,2,kdim=6,vdim=4)': (g) => {
    const p = initCrossAttention(g, 8, 6, 4, true);
    return {
      q_proj_weight: p.qProjWeight,
      k_proj_weight: p.kProjWeight,
      v_proj_weight: p.vProjWeight,
      ...attention(p),
    };
  },
  'nn.TransformerEncoderLayer(8,2,16)': encoderLayer,
  'nn.TransformerEncoder(nn.TransformerEncoderLayer(8,2,16),2)': (g) => {
    const layer = encoderLayer(g);
    return { ...prefixed('layers.0', layer), ...prefixed('layers.1', layer) };
  },
  'nn.RNN(3,4)': (g) => recurrent(g, 'RNN'),
  'nn.LSTM(3,4)': (g) => recurrent(g, 'LSTM'),
  'nn.GRU(3,4)': (g) => recurrent(g, 'GRU'),
  'nn.Bilinear(2,3,4)': (g) => named(initBilinear(g, 2, 3, 4)),
  'nn.PReLU()': () => ({ weight: initPrelu(1) }),
};

const INITS: Record<string, (g: Generator, shape: readonly number[], kw: NonNullable<Case['kw']>) => Float32Array> = {
  'nn.init.xavier_uniform_': (g, shape, { gain }) => xavierUniform(g, shape, gain),
  'nn.init.xavier_normal_': (g, shape, { gain }) => xavierNormal(g, shape, gain),
  'nn.init.kaiming_uniform_': kaimingUniform,
  'nn.init.kaiming_normal_': kaimingNormal,
  'nn.init.normal_': (g, shape, { mean = 0, std = 1 }) => g.normal(size(shape), mean, std),
  'nn.init.uniform_': (g, shape, { a = 0, b = 1 }) => g.uniform(size(shape), a, b),
};
const size = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

const cases = fixtures.cases as unknown as Case[];
test.each(cases.map((c) => [`${c.expr} ${JSON.stringify(c.kw ?? {})} seed ${c.seed}`, c] as const))('%s', (_, c) => {
  const g = new Generator(c.seed);
  const drawn = c.shape === undefined ? MODULES[c.expr]?.(g) : { t: INITS[c.expr]?.(g, c.shape, c.kw ?? {}) };
  const present = Object.entries(drawn ?? {}).filter(([, data]) => data !== undefined);
  expect(present.map(([name]) => name)).toEqual(Object.keys(c.params));
  for (const [name, data] of present) {
    const { actual, expected } = fingerprint(data ?? new Float32Array(), c.params[name] as StoredTensor);
    expect(actual, name).toBe(expected);
  }
  expect([...g.rand(2)]).toEqual(c.next_rand2);
});

test('gains as in torch; a vector has no fan', () => {
  const gains = (['linear', 'sigmoid', 'tanh', 'relu', 'leaky_relu', 'selu'] as const).map((name) =>
    calculateGain(name),
  );
  // torch.nn.init.calculate_gain of each
  expect(gains).toEqual([1, 1, 1.6666666666666667, Math.SQRT2, 1.4141428569978354, 0.75]);
  expect(() => xavierUniform(new Generator(0), [5])).toThrow(
    'Fan in and fan out can not be computed for tensor with fewer than 2 dimensions',
  );
});
