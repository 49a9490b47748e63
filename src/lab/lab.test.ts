/**
 * Compares the lab's runs with the definitions of the collectives, its crossovers with a search through every length,
 * and its rounds with the textbook's.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { at } from '../base/invariant';
import { loadedAlgorithms } from '../collectives/algorithms';
import type { AlgorithmName, CollectiveOp, ReduceOp } from '../protocol/collective';
import type { LabRequest, LabTile } from '../protocol/lab';
import { ALIKE, labCurves, modelledUs } from './lab-curves';
import { isBitwise, reduces } from './lab-program';
import { measureLab } from './measure-lab';
import { runLab } from './run-lab';

const REQUEST: LabRequest = {
  op: 'allReduce',
  reduceOp: 'sum',
  algorithm: 'ring',
  worldSize: 4,
  length: 16,
  root: 0,
  nodes: 1,
  startUs: 0,
  link: { latencyUs: 10, bytesPerSecond: 25e9 },
  across: { latencyUs: 30, bytesPerSecond: 1.25e9 },
  seed: 0,
};
const everyone = (worldSize: number) => 2 ** worldSize - 1;
const bits = (mask: number): number => mask.toString(2).replaceAll('0', '').length;

/** One that rounds, one that divides at the end, one on bits. */
const IN_QUICK: readonly ReduceOp[] = ['sum', 'avg', 'bxor'];

describe.each(loadedAlgorithms().map(({ name, ops }) => ({ name, ops })))('$name', ({ name, ops }) => {
  const sums = ops.filter(reduces);
  const others = ops.filter((op) => !reduces(op));
  const cases: readonly (readonly [CollectiveOp, ReduceOp])[] = [
    ...sums.flatMap((op) =>
      (['sum', 'product', 'min', 'max', 'avg', 'band', 'bor', 'bxor'] as const).map((r) => [op, r] as const),
    ),
    ...others.map((op) => [op, 'sum'] as const),
  ];
  const inQuick = cases.filter(([, reduceOp]) => IN_QUICK.includes(reduceOp));
  const left = cases.filter(([, reduceOp]) => !IN_QUICK.includes(reduceOp));
  const TITLE = '%s %s: every rank ends with what the definition says';
  test.each(inQuick)(TITLE, holds);
  test.each(left)(TITLE, place({ rest: 'other reductions take the same way' }), holds);

  function holds(op: CollectiveOp, reduceOp: ReduceOp): void {
    for (const worldSize of [1, 2, 3, 5, 8, 16])
      for (const length of [0, worldSize - 1, 2 * worldSize + 1])
        for (const nodes of name === 'hierarchical' ? [1, 2] : [1]) {
          const root = worldSize - 1;
          const request = { ...REQUEST, op, reduceOp, algorithm: name, worldSize, length, root, nodes };
          const { check, bytesSent, formula } = runLab(request);
          const what = JSON.stringify({ worldSize, length, nodes });
          expect(check.sameBytes, what).toBe(true);
          expect(check.maxError, what).toBeLessThanOrEqual(isBitwise(reduceOp) ? 0 : 1e-6);
          expect(bytesSent, what).toEqual(formula.bytesSent);
        }
  }
});

describe('what the rounds show', () => {
  test('a ring: 2(N-1) rounds; the sum of a chunk grows by one rank a round, then travels whole', () => {
    const { rounds, buffers, formula } = runLab(REQUEST);
    expect(rounds).toHaveLength(6);
    expect(formula.rounds).toBe(6);
    expect(at(buffers, 0).chunks).toHaveLength(4);
    rounds.forEach(({ transfers, state }, round) => {
      expect(transfers).toHaveLength(4);
      for (const { to, target } of transfers) {
        const chunk = at(buffers, 0).chunks.findIndex(({ offset }) => offset === target.offset);
        const tile: LabTile = at(at(at(state, 0), to), chunk);
        expect(bits(tile.contributors)).toBe(Math.min(4, round + 2));
      }
    });
  });

  test('the values of a tile are the sum of its contributors’ first values', () => {
    const { initial, rounds } = runLab(REQUEST);
    for (const { state } of rounds)
      state[0]?.forEach((tiles) => {
        tiles.forEach(({ contributors, values }, chunk) => {
          const sum = (k: number) =>
            (initial[0] ?? []).reduce(
              (n, own, r) => n + (contributors & (1 << r) ? (own[chunk]?.values[k] ?? 0) : 0),
              0,
            );
          expect(values).toEqual(values.map((_, k) => sum(k)));
        });
      });
  });

  test('as many rounds as the algorithm counts', () => {
    for (const { name, ops } of loadedAlgorithms())
      for (const op of ops) {
        const { rounds, formula } = runLab({ ...REQUEST, op, algorithm: name, worldSize: 6, nodes: 2, length: 96 });
        expect(rounds.length, `${name} ${op}`).toBeLessThanOrEqual(formula.rounds);
        for (const { transfers } of rounds) expect(transfers.length).toBeGreaterThan(0);
      }
  });

  test('after an all-reduce every value of every rank is in every element', () => {
    for (const { name, ops } of loadedAlgorithms().filter((a) => a.ops.includes('allReduce'))) {
      expect(ops).toContain('allReduce');
      const { rounds } = runLab({ ...REQUEST, algorithm: name, worldSize: 5 });
      for (const tiles of rounds.at(-1)?.state[0] ?? [])
        for (const { contributors } of tiles) expect(contributors).toBe(everyone(5));
    }
  });

  test('messages take the link between their nodes', () => {
    const slow = runLab({ ...REQUEST, nodes: 2 });
    expect(slow.nodeOf).toEqual([0, 0, 1, 1]);
    expect(slow.modelledUs).toBeGreaterThan(runLab(REQUEST).modelledUs);
  });

  test('too large collectives, a root outside the group and a link without a rate are refused', () => {
    expect(() => runLab({ ...REQUEST, op: 'allGather', worldSize: 16, length: 2 ** 22 })).toThrow('MiB');
    expect(() => runLab({ ...REQUEST, root: 4 })).toThrow('root 4'.replace('root', 'rank'));
    expect(() => runLab({ ...REQUEST, link: { latencyUs: 1, bytesPerSecond: 0 } })).toThrow('bandwidth');
  });
});

describe('the chart', () => {
  // On these links, all crossovers between these algorithms are below 400 elements.
  const close: LabRequest = { ...REQUEST, worldSize: 5, link: { latencyUs: 2, bytesPerSecond: 200e6 } };

  test('its crossovers are where a search through every length finds them', () => {
    const { crossovers } = labCurves(close);
    const time = (algorithm: AlgorithmName, length: number) => modelledUs({ ...close, algorithm, length });
    for (const other of ['naive', 'tree'] as const) {
      const wins = Array.from({ length: 400 }, (_, i) => time(other, i + 1) < time('ring', i + 1) * (1 - ALIKE));
      const changes = wins.flatMap((win, i) => (i > 0 && win !== wins[i - 1] ? [4 * (i + 1)] : []));
      const found = crossovers
        .filter(({ below, above }) => below.algorithm === other || above.algorithm === other)
        .map(({ bytes }) => bytes);
      for (const bytes of found) expect(changes).toContain(bytes);
      // The last crossover is final: at larger lengths the order stays the same.
      expect(found.at(-1), other).toBe(changes.at(-1));
    }
    const [first] = crossovers.filter(({ below }) => below.algorithm === 'naive');
    expect(first?.above.algorithm).toBe('ring');
    expect(first?.below.bytes).toBeGreaterThan(first?.above.bytes ?? Number.POSITIVE_INFINITY);
  });

  test('its points are the modelled times of the same collective', () => {
    const { overBytes, overRanks } = labCurves(REQUEST);
    for (const { algorithm, points } of [...overBytes, ...overRanks])
      for (const { worldSize, bytes, timeUs } of points.filter((_, i) => i % 5 === 0))
        expect(timeUs).toBe(modelledUs({ ...REQUEST, algorithm, worldSize, length: bytes / 4 }));
    const ring = runLab({ ...REQUEST, length: 1024 });
    const same = overBytes.find((c) => c.algorithm === 'ring')?.points.find(({ bytes }) => bytes === 4096);
    expect(same?.timeUs).toBeCloseTo(ring.modelledUs, 9);
  });
});

test('measured: real runs over ports, more than a few', async () => {
  const { medianUs, runs } = await measureLab({ ...REQUEST, length: 64 });
  expect(medianUs).toBeGreaterThan(0);
  expect(runs).toBeGreaterThanOrEqual(9);
});
