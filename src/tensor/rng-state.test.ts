/**
 * The bytes of torch.get_rng_state(), by their SHA-256 under torch 1.13.1, after torch.manual_seed(seed) and
 * torch.rand(n), or seed 7 and torch.randn(3).
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Generator } from './generator';
import { generatorFrom, rngState } from './rng-state';

const HALF_A_PAIR = '5dc20bbdc68dede503c2fd3be8c61c03e0ba6fb7884c5665b6b65dea69a927c5';

test.each([
  [3n, 5, '93d528347ec25cbae9e8cc089b2b76052aa3e8c9e2c65ba1c828c4a51c050e1f'],
  [3n, 624, '5294adef869311a97b9b9bfa34400a35322399b967301af24e23f23c460602be'],
  [-7n, 1000, 'bd30507ba479619b5631c8df3776f3d400cb464c0cb6f169903b0a0ff0d3e30f'],
  [2n ** 40n + 1n, 2000, '28c73d84a68e88c8f9322e8d9cbc9b9506a1d892af75bd7fbbcb7465f6b6468e'],
])('seed %s, %i words', (seed, words, sha256) => {
  const generator = new Generator(seed);
  generator.rand(words);
  const bytes = rngState(generator);
  expect(bytes.length).toBe(5056);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
});

test('half a pair of normals is kept, as torch keeps it', () => {
  const generator = new Generator(7);
  generator.randn(3);
  expect(createHash('sha256').update(rngState(generator)).digest('hex')).toBe(HALF_A_PAIR);
});

test.each([0, 1, 5, 623, 624, 625])(
  'a generator read back draws on as the one that was written, after %i words and half a pair',
  (words) => {
    const generator = new Generator(12n);
    generator.rand(words);
    generator.randn(words % 2);
    const again = generatorFrom(rngState(generator), 'test');
    expect(again.randn(3)).toEqual(generator.randn(3));
    expect(again.randperm(1300)).toEqual(generator.randperm(1300));
    expect(again.initialSeed).toBe(12n);
  },
);

test('bytes of another size are refused', () => {
  expect(() => generatorFrom(new Uint8Array(16), 'rng_state.0')).toThrow('rng_state.0: RNG state is wrong size');
});
