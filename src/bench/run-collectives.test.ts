/**
 * Every collective by every algorithm is correct on both transports, and wrong elements are counted; sizes and
 * bandwidths are those of nccl-tests.
 */
import { describe, expect, test } from 'vitest';
import { loadedAlgorithms } from '../collectives/algorithms';
import type { CollectivesRequest } from '../protocol/collectives-report';
import { collectiveInput, wrongElements } from './collective-values';
import { runCollectives, sizes } from './run-collectives';

const REQUEST: CollectivesRequest = {
  op: 'allReduce',
  reduceOp: 'sum',
  algorithm: 'ring',
  ranks: 3,
  nodes: 1,
  root: 1,
  fromBytes: 36,
  toBytes: 72,
  stepFactor: 2,
  iterations: 1,
  warmup: 0,
  device: 'cpu',
  transport: 'shared',
  hardware: 'nvlink8',
};

describe.each(loadedAlgorithms())('$name', ({ name, ops }) => {
  test.each([...ops])('%s', async (op) => {
    for (const transport of ['shared', 'ports'] as const) {
      const { rows, algorithm } = await runCollectives({ ...REQUEST, op, algorithm: name, transport }, {});
      expect(algorithm).toBe(name);
      expect(rows.map(({ bytes, wrong }) => [bytes, wrong])).toEqual(
        op === 'barrier'
          ? [[0, 0]]
          : [
              [36, 0],
              [72, 0],
            ],
      );
      for (const { measured, modelled } of rows) {
        expect(measured.timeUs).toBeGreaterThan(0);
        expect(modelled.timeUs).toBeGreaterThan(0);
      }
    }
  });
});

test.each(['avg', 'product', 'min', 'max', 'band', 'bor', 'bxor'] as const)('all_reduce of %s', async (reduceOp) => {
  const { rows } = await runCollectives({ ...REQUEST, reduceOp, ranks: 4, nodes: 2, algorithm: 'hierarchical' }, {});
  expect(rows.map(({ wrong }) => wrong)).toEqual([0, 0]);
  expect(rows[0]?.dtype).toBe(reduceOp.startsWith('b') ? 'int32' : 'float');
});

test('counts wrong elements', () => {
  const shape = { ...REQUEST, worldSize: 2, length: 10 } as const;
  const [a, b] = [0, 1].map((rank) => collectiveInput({ ...shape, root: 0 }, rank));
  const sum = Float32Array.from(a ?? [], (value, i) => value + (b?.[i] ?? 0));
  expect(wrongElements(shape, 0, sum)).toBe(0);
  sum[3] = (sum[3] ?? 0) + 1;
  sum[7] = Number.NaN;
  expect(wrongElements(shape, 0, sum)).toBe(2);
});

test('sizes grow by the factor, in whole elements for every rank', () => {
  expect(sizes({ ...REQUEST, fromBytes: 8, toBytes: 40 })).toEqual([8, 16, 32]);
  expect(sizes({ ...REQUEST, op: 'allGather', fromBytes: 16, toBytes: 64 })).toEqual([12, 24, 60]);
  expect(sizes({ ...REQUEST, op: 'barrier' })).toEqual([0]);
});

test("bus bandwidth is the algorithm's times the factor of nccl-tests", async () => {
  const factor = async (request: Partial<CollectivesRequest>): Promise<number> => {
    const { rows } = await runCollectives({ ...REQUEST, ranks: 4, toBytes: 64, fromBytes: 64, ...request }, {});
    return (rows[0]?.modelled.busBandwidth ?? 0) / (rows[0]?.modelled.algorithmBandwidth ?? 1);
  };
  expect(await factor({})).toBeCloseTo(1.5);
  expect(await factor({ op: 'allGather' })).toBeCloseTo(0.75);
  expect(await factor({ op: 'broadcast' })).toBe(1);
});

test.each([
  [{ ranks: 40 }, '40 ranks are too many.'],
  [{ root: 3 }, 'Invalid rank 3 for a group of 3.'],
  [{ nodes: 2 }, '3 ranks are not spread evenly over 2 nodes.'],
  [{ op: 'broadcast', reduceOp: 'max' }, 'broadcast reduces nothing'],
  [{ toBytes: 2 ** 30 }, 'would take 3072 MiB'],
] as const)('refuses %j', async (change, message) => {
  await expect(runCollectives({ ...REQUEST, ...change }, {})).rejects.toThrow(message);
});
