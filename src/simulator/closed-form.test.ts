/**
 * The closed forms of the collectives' times against the event simulation of their Programs, after the time a
 * collective takes to start: exact where ports are never waited for (chunks of one size, worlds that fit the
 * algorithm), within a stated factor elsewhere; what nodes change; and the choice of protocol.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { algorithmFor, loadedAlgorithms } from '../collectives/algorithms';
import { programOf } from '../collectives/testing/collective-run';
import { ranksByNode } from '../mesh/nodes';
import type { AlgorithmName, CollectiveOp, Link } from '../protocol/collective';
import { HARDWARE, type Hardware } from './hardware';
import { machineOf } from './machine';
import { modelledStep, simulate } from './simulate';

const LINK: Link = { latencyUs: 10, bytesPerSecond: 25e9 };
const ACROSS: Link = { latencyUs: 30, bytesPerSecond: 1.25e9 };

const START_US = 7;

/** Links alone, with one protocol: kernels and copies cost nothing. */
const machine = (worldSize: number, nodes: number): Hardware => ({
  ...machineOf({ hardware: 'pcie4', worldSize, nodes }),
  flopsPerSecond: Number.POSITIVE_INFINITY,
  halfFlopsPerSecond: Number.POSITIVE_INFINITY,
  memoryBytesPerSecond: Number.POSITIVE_INFINITY,
  launchUs: 0,
  protocols: [{ name: 'Simple', startUs: START_US, inside: LINK, across: ACROSS }],
});

interface Asked {
  readonly algorithm: AlgorithmName;
  readonly op: CollectiveOp;
  readonly worldSize: number;
  readonly length: number;
  readonly nodes?: number;
}

function ratio({ algorithm, op, worldSize, length, nodes = 1 }: Asked): number {
  const inputs = Array.from({ length: worldSize }, () => new Float32Array(length));
  const group = [...inputs.keys()];
  const layout = nodes > 1 ? ranksByNode(worldSize, nodes) : undefined;
  const more = layout ? { nodes: layout } : {};
  const program = programOf({ algorithm, op, reduceOp: 'sum', mesh: worldSize, group, root: 0, inputs, ...more });
  const formula = algorithmFor(algorithm, op).timeUs({ op, bytes: 4 * length, worldSize, ...more }, LINK, ACROSS);
  return (modelledStep(program, machine(worldSize, nodes)).stepUs - START_US) / formula;
}

/** Simulated time, less the start, over closed form. */
const FACTORS: Readonly<Record<AlgorithmName, readonly [least: number, most: number]>> = {
  ring: [1, 1],
  naive: [1, 1],
  hierarchical: [1, 1],
  tree: [0.85, 1],
  doubleTree: [0.85, 1.3],
  halvingDoubling: [0.75, 1.2],
};
const LENGTHS = [64, 8192, 131_072];

describe.each(loadedAlgorithms())('$name', ({ name, ops }) => {
  const timed = ops.filter((op) => op !== 'barrier');
  test.each(timed)('%s', (op) => holds(op, [2, 3, 4, 8]));
  const MORE = 'smaller worlds, odd ones and powers of two, are compared';
  test.each(timed)('%s of more ranks', place({ rest: MORE }), (op) => holds(op, [5, 6, 12, 16]));

  function holds(op: CollectiveOp, worldSizes: readonly number[]): void {
    const [least, most] = FACTORS[name];
    for (const worldSize of worldSizes) {
      const powerOfTwo = Number.isInteger(Math.log2(worldSize));
      for (const each of LENGTHS) {
        const found = ratio({ algorithm: name, op, worldSize, length: worldSize * each });
        if (powerOfTwo && (name === 'tree' || name === 'halvingDoubling')) expect(found).toBeCloseTo(1, 6);
        expect(found).toBeGreaterThan(least - 1e-6);
        expect(found).toBeLessThan(most + 1e-6);
      }
    }
  }
});

test.each([
  [4, 2],
  [8, 2],
  [8, 4],
  [12, 3],
])('hierarchical on %i ranks of %i nodes is as its form says', (worldSize, nodes) => {
  for (const each of LENGTHS) {
    const length = worldSize * each;
    expect(ratio({ algorithm: 'hierarchical', op: 'allReduce', worldSize, nodes, length })).toBeCloseTo(1, 6);
  }
});

test('over slow links hierarchical beats the flat ring, and over one node they are the same', () => {
  const time = (algorithm: AlgorithmName, nodes: number) => {
    const inputs = Array.from({ length: 8 }, () => new Float32Array(80_000));
    const group = [...inputs.keys()];
    const layout = nodes > 1 ? ranksByNode(8, nodes) : undefined;
    const more = layout ? { nodes: layout } : {};
    const trial = { algorithm, op: 'allReduce', reduceOp: 'sum', mesh: 8, group, root: 0, inputs, ...more } as const;
    return modelledStep(programOf(trial), machine(8, nodes)).stepUs;
  };
  expect(time('hierarchical', 1)).toBeCloseTo(time('ring', 1), 6);
  expect(time('hierarchical', 2)).toBeLessThan(time('ring', 2) / 2);
  expect(time('ring', 2)).toBeGreaterThan(time('ring', 1));
});

test.each(Object.values(HARDWARE))('on $label a ring takes the least of its protocols’ closed forms', (hardware) => {
  for (const length of [8, 800, 80_000, 800_000]) {
    const inputs = Array.from({ length: 8 }, () => new Float32Array(length));
    const trial = { algorithm: 'ring', op: 'allReduce', reduceOp: 'sum', mesh: 8, root: 0, inputs } as const;
    const { stepUs } = modelledStep(programOf({ ...trial, group: [...inputs.keys()] }), hardware);
    const least = (elements: number) => {
      const request = { op: 'allReduce', bytes: 4 * elements, worldSize: 8 } as const;
      const { timeUs } = algorithmFor('ring', 'allReduce');
      return Math.min(...hardware.protocols.map(({ startUs, inside }) => startUs + timeUs(request, inside)));
    };
    // gloo's chunks are whole pairs of elements: of 8 elements every second chunk is empty, the others twice as long.
    if (length > 8) expect(stepUs).toBeCloseTo(least(length), 6);
    else expect(stepUs).toBeLessThan(1.0001 * least(2 * length));
  }
});

test('every rank pays the start of each collective once, and of messages outside of collectives nothing', () => {
  const time = (startUs: number) => {
    const inputs = Array.from({ length: 4 }, () => new Float32Array(64));
    const trial = { algorithm: 'tree', op: 'allReduce', reduceOp: 'sum', mesh: 4, root: 0, inputs } as const;
    const program = programOf({ ...trial, group: [...inputs.keys()] });
    const protocols = [{ name: 'Simple', startUs, inside: LINK, across: ACROSS }] as const;
    return modelledStep(program, { ...machine(4, 1), protocols }).stepUs;
  };
  expect(time(9) - time(0)).toBeCloseTo(9, 9);
});

test('the start cost is part of a rank’s first send, so its queue is busy from the earliest possible start', () => {
  const inputs = Array.from({ length: 4 }, () => new Float32Array(64));
  const program = programOf({
    ...{ algorithm: 'ring', op: 'allReduce', reduceOp: 'sum', mesh: 4, root: 0, inputs },
    group: [...inputs.keys()],
  });
  const times = simulate(program, machine(4, 1));
  for (const { instructions } of program.lanes) {
    const sends = instructions.flatMap((i) => (i.kind === 'send' ? [times.get(i.id)] : []));
    expect(sends.map((timing) => timing?.startingUs)).toEqual([START_US, ...sends.slice(1).map(() => undefined)]);
    expect(sends[0]?.startUs).toBe(0);
  }
});
