/** Every draw of torch 1.13.1 in fixtures/rng.json, bit for bit, with the position of the stream afterwards. */
import { expect, test } from 'vitest';
import {
  bernoulli,
  bernoulliOf,
  dropoutMask,
  exponential,
  multinomialOne,
  multinomialWithoutReplacement,
  multinomialWithReplacement,
  randDouble,
} from './distributions';
import { decodeF64, fingerprint, type StoredTensor, sha256 } from './fixtures/decode';
import fixtures from './fixtures/rng.json';
import { Generator } from './generator';
import { randnDouble } from './normal-double';

interface Case {
  kind: string;
  seed: string;
  size?: number;
  n?: number;
  a?: number;
  b?: number;
  mean?: number;
  std?: number;
  low?: string;
  high?: string;
  p?: number;
  probs?: number[];
  repeat?: number;
  out: unknown;
  next_rand2: number[];
}

function draw(g: Generator, c: Case): unknown {
  const size = c.size ?? 0;
  const p = c.p ?? 0;
  switch (c.kind) {
    case 'rand':
      return g.rand(size);
    case 'randn':
      return g.randn(size);
    case 'uniform_':
      return g.uniform(size, c.a ?? 0, c.b ?? 1);
    case 'normal_':
      return g.normal(size, c.mean ?? 0, c.std ?? 1);
    case 'randint':
      return g.randint(Number(c.low), Number(c.high), size).map(String);
    case 'randperm': {
      const order = g.randperm(c.n ?? 0);
      if (Array.isArray(c.out)) return [...order];
      return { head: [...order.slice(0, 16)], tail: [...order.slice(-16)], sha256_i32le: sha256(order) };
    }
    case 'random_int64':
      return Array.from({ length: 4 }, () => String(g.randomInt64()));
    case 'bernoulli_':
      return bernoulli(g, size, p);
    case 'torch.bernoulli(f32 tensor)':
      return bernoulliOf(g, new Float32Array(size).fill(p));
    case 'dropout(ones)':
      return dropoutMask(g, size, p);
    case 'exponential_':
      return exponential(g, size, 1);
    case 'multinomial1':
      return Array.from({ length: c.repeat ?? 0 }, () => multinomialOne(g, Float32Array.from(c.probs ?? [])));
    case 'multinomial_repl':
      return [...multinomialWithReplacement(g, Float32Array.from(c.probs ?? []), 12)];
    case 'rand_float64':
      return randDouble(g, size);
    case 'randn_float64':
      return randnDouble(g, size);
    default:
      throw new Error(`unknown case ${c.kind}`);
  }
}

const cases = fixtures.cases as unknown as Case[];
const kinds = [...new Set(cases.map((c) => c.kind))];

test.each(kinds)('%s', (kind) => {
  for (const c of cases.filter((one) => one.kind === kind)) {
    const g = new Generator(BigInt(c.seed));
    const out = draw(g, c);
    const what = `${kind} seed ${c.seed} size ${c.size ?? c.n}`;
    if (kind === 'randn_float64') {
      // The last bit of log, sin and cos is the C library's own.
      const stored = decodeF64(c.out as StoredTensor);
      expect((out as Float64Array).length).toBe(stored.length);
      for (const [i, value] of stored.entries())
        expect(Math.abs(((out as Float64Array)[i] ?? 0) - value), what).toBeLessThanOrEqual(
          1e-15 * Math.max(1, Math.abs(value)),
        );
    } else if (out instanceof Float32Array || out instanceof Float64Array) {
      const { actual, expected } = fingerprint(out, c.out as StoredTensor);
      expect(actual, what).toBe(expected);
    } else expect(out, what).toEqual(c.out);
    expect([...g.rand(2)], `${what}, next two`).toEqual(c.next_rand2);
  }
});

test('several kinds of draws in a row share one stream and one cached normal', () => {
  for (const { seed, calls } of fixtures.interleave) {
    const g = new Generator(BigInt(seed));
    for (const { op, out } of calls) {
      const [kind, ...args] = op as [string, ...number[]];
      const [a = 0, b = 0, n = 0] = args;
      if (kind === 'randint') expect(g.randint(a, b, n)).toEqual(out);
      else if (kind === 'randperm') expect([...g.randperm(a)]).toEqual(out);
      else {
        const data = kind === 'rand' ? g.rand(a) : kind === 'randn' ? g.randn(a) : bernoulli(g, b, a);
        const { actual, expected } = fingerprint(data, out as StoredTensor);
        expect(actual, `${kind} seed ${seed}`).toBe(expected);
      }
    }
  }
});

test('generators of their own', () => {
  for (const c of fixtures.generators) {
    const g = new Generator(BigInt(c.seed));
    expect(String(g.initialSeed)).toBe(c.initial_seed);
    expect([...g.rand(5)]).toEqual(c.rand5);
    expect([...g.randperm(7)]).toEqual(c.randperm7);
    expect([...g.randn(3)]).toEqual(c.randn3);
  }
});

test('the engine is MT19937: word 10,000 of the reference seed', () => {
  const g = new Generator(5489);
  for (let i = 0; i < 9999; i++) g.random();
  expect(g.random() % 2 ** 31).toBe(fixtures['mt19937_seed5489_word10000_mod_2^31']);
});

test('a clone goes on from the same place, cached normal included', () => {
  const g = new Generator(7);
  g.randn(5);
  const twin = g.clone();
  expect([...twin.randn(3)]).toEqual([...g.randn(3)]);
  expect(twin.random()).toBe(g.random());
  g.random();
  expect(twin.random()).not.toBe(g.random());
});

test('a seed beyond 64 bits is refused in words of PyTorch', () => {
  expect(() => new Generator(1n << 64n)).toThrow('Overflow when unpacking long');
  expect(() => new Generator(0).randint(5, 5, 1)).toThrow("random_ expects 'from' to be less than 'to'");
});

test('multinomial without replacement: the values of torch 1.13.1, and its refusal', () => {
  const probabilities = Float32Array.of(0.1, 0.4, 0, 0.2, 0.3);
  const fourTimes = (seed: number) => {
    const g = new Generator(seed);
    const draws = [0, 1, 2, 3].map(() => [...multinomialWithoutReplacement(g, probabilities, 3)]);
    return [...draws, [...g.rand(2)]];
  };
  expect(fourTimes(0)).toEqual([
    [1, 4, 3],
    [1, 4, 3],
    [1, 4, 3],
    [1, 4, 3],
    [0.5262957811355591, 0.24365824460983276],
  ]);
  expect(fourTimes(7)).toEqual([
    [1, 0, 3],
    [1, 4, 3],
    [1, 3, 4],
    [1, 3, 4],
    [0.7405239939689636, 0.25287991762161255],
  ]);
  expect(() => multinomialWithoutReplacement(new Generator(0), probabilities, 6)).toThrow(
    'cannot sample n_sample > prob_dist.size(-1) samples without replacement',
  );
});
