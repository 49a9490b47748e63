/**
 * Samplers, loader, split and chunk give exactly torch 1.13.1's orders in fixtures/sampler.json, and leave the random
 * streams in the same state.
 */
import { expect, test } from 'vitest';
import { Generator } from '../tensor/generator';
import { chunkSizes } from './chunk-sizes';
import { DistributedSampler } from './distributed-sampler';
import fixtures from './fixtures/sampler.json';
import { DataLoader } from './loader';
import { RandomSampler, randomSplit, SequentialSampler, SubsetRandomSampler } from './samplers';

test.each(
  fixtures.distributed_sampler.map((c) => [
    `${c.len} rows, ${c.num_replicas} processes, shuffle ${c.shuffle}, drop_last ${c.drop_last}`,
    c,
  ]),
)('DistributedSampler: %s', (_, c) => {
  if (typeof c === 'string') return;
  for (const { epoch, ranks } of c.epochs) {
    for (const [rank, expected] of ranks.entries()) {
      const sampler = new DistributedSampler({
        rows: c.len,
        worldSize: c.num_replicas,
        rank,
        shuffle: c.shuffle,
        seed: c.seed,
        dropLast: c.drop_last,
      });
      sampler.setEpoch(epoch);
      expect([...sampler.indices()], `epoch ${epoch} rank ${rank}`).toEqual(expected);
      expect(sampler.length).toBe(c.num_samples);
      expect(sampler.totalSize).toBe(c.total_size);
    }
  }
});

test('DistributedSampler: without set_epoch every epoch has the same order; a rank outside the world is refused', () => {
  const sampler = new DistributedSampler({ rows: 50, worldSize: 2, rank: 1 });
  expect(sampler.indices()).toEqual(sampler.indices());
  expect(() => new DistributedSampler({ rows: 50, worldSize: 4, rank: 5 })).toThrow(
    'Invalid rank 5, rank should be in the interval [0, 3]',
  );
});

test.each(fixtures.dataloader.map((c, i) => [`case ${i}: ${c.len} rows, batch ${c.batch_size}`, c] as const))(
  'DataLoader: %s',
  (_, c) => {
    const defaultGenerator = new Generator(c.manual_seed);
    const own = c.generator_seed === null ? undefined : new Generator(c.generator_seed);
    const given = own === undefined ? {} : { generator: own };
    defaultGenerator.rand(c.predraw_rand);
    const sampler = c.shuffle ? new RandomSampler(c.len, given) : new SequentialSampler(c.len);
    const loader = new DataLoader({
      sampler,
      batchSize: c.batch_size,
      dropLast: c.drop_last,
      defaultGenerator,
      ...given,
    });
    for (const expected of c.epochs) {
      expect(loader.length).toBe(expected.length);
      expect(loader.epoch().map((batch) => [...batch])).toEqual(expected);
    }
    expect([...defaultGenerator.rand(2)]).toEqual(c.next_default_rand2);
    if (own !== undefined) expect([...own.rand(2)]).toEqual(c.next_gen_rand2);
  },
);

test('RandomSampler, SubsetRandomSampler and random_split', () => {
  for (const c of fixtures.samplers) {
    const generator = new Generator(c.manual_seed);
    if (c.kind === 'random_split') {
      const parts = randomSplit(generator, c.lengths ?? []);
      expect(parts.map((part) => [...part])).toEqual(c.indices);
    } else if (c.kind === 'SubsetRandomSampler') {
      expect([...new SubsetRandomSampler(c.indices_in ?? []).indices(generator)]).toEqual(c.out);
    } else {
      const sampler = new RandomSampler(c.len ?? 0, {
        replacement: c.replacement ?? false,
        ...(c.num_samples == null ? {} : { numSamples: c.num_samples }),
      });
      for (const pass of c.passes ?? []) expect([...sampler.indices(generator)]).toEqual(pass);
    }
    expect([...generator.rand(2)]).toEqual(c.next_rand2);
  }
  expect(() => new RandomSampler(0)).toThrow('num_samples should be a positive integer value, but got num_samples=0');
});

test('chunk sizes, fewer chunks than devices included', () => {
  for (const c of fixtures.dataparallel_chunks) {
    expect(chunkSizes(c.batch, c.devices), `${c.batch} in ${c.devices}`).toEqual(c.chunk_sizes);
  }
});
