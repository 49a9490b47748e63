/** The words and the layout of the lab's figure, from real runs of the session. */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { labCurves } from '../../lab/lab-curves';
import { runLab } from '../../lab/run-lab';
import type { LabCrossover } from '../../protocol/lab';
import { ETHERNET_PROTOCOLS, NVLINK_PROTOCOLS, PCIE_PROTOCOLS } from '../../simulator/protocols';
import {
  DEFAULT_LAB,
  type LabSettings,
  labRequest,
  limitsOf,
  parseLab,
  printLab,
  withLab,
} from '../permalink/lab-link';
import { crossoverText, ncclText, neverText } from './curve-words';
import { figureLayout, waysOf } from './figure-layout';
import { contributorsIn, labSentence, turnsAsGloo } from './lab-sentence';
import { formulaText, LINK_PRESETS, presetOf } from './lab-words';

const run = (part: Partial<LabSettings>) => runLab(labRequest(must(withLab(DEFAULT_LAB, part), 'settings')));

describe('the link', () => {
  test('contains only what differs, and restores it', () => {
    expect(printLab(DEFAULT_LAB)).toBe('allReduce');
    const other = must(withLab(DEFAULT_LAB, { algorithm: 'tree', ranks: 6, round: 2 }), 'settings');
    expect(printLab(other)).toBe('allReduce(algorithm:tree,ranks:6,round:2)');
    expect(parseLab(printLab(other))).toEqual(other);
  });
  test.each(['allReduce(ranks:17)', 'allReduce(ranks:0)', 'sum', 'allReduce(gbPerS:0)', 'allReduce(colour:red)', ''])(
    'refuses %s',
    (text) => {
      expect(parseLab(text)).toBeUndefined();
    },
  );
  test('a root and nodes beyond the ranks come back into the group', () => {
    expect(withLab(DEFAULT_LAB, { ranks: 3, root: 9, nodes: 8 })).toMatchObject({ root: 2, nodes: 3 });
  });
});

describe('the sentence', () => {
  test('of a ring names the neighbour, the bytes and how complete the sum is', () => {
    const result = run({});
    expect(labSentence(result, 0)).toBe(
      'Start: each of 4 ranks has 16 elements (64 B) of its own; all buffers are combined, and every rank gets the result.',
    );
    expect(labSentence(result, 2)).toBe(
      'Round 2 of 6, reduce-scatter: every rank sends 4 elements (16 B) to the rank before it; the receiver adds them to its own.' +
        ' The chunks that arrived now hold the values of 3 of 4 ranks.',
    );
    expect(labSentence(result, 6)).toContain('Done: all buffers are combined, and every rank gets the result.');
  });
  test("a ring that turns as gloo's differs from one that does not, and from other algorithms", () => {
    expect(turnsAsGloo(run({}))).toBe(true);
    expect(turnsAsGloo(run({ ranks: 2 }))).toBe(false);
    expect(turnsAsGloo(run({ algorithm: 'tree' }))).toBe(false);
  });
  test('of one rank, and of no elements, says that nothing is sent', () => {
    expect(labSentence(run({ ranks: 1 }), 0)).toContain('Nothing has to be sent.');
    expect(labSentence(run({ length: 0 }), 0)).toContain('Nothing has to be sent.');
  });
  test('every collective and algorithm has one sentence per round', () => {
    for (const type of ['broadcast', 'gather', 'allToAll', 'reduceScatter', 'barrier'] as const)
      for (const algorithm of ['naive', 'ring', 'tree', 'halvingDoubling'] as const) {
        const result = run({ type, algorithm, ranks: 5 });
        for (let position = 0; position <= result.rounds.length; position++)
          expect(labSentence(result, position)).toMatch(/^(Start|Round \d+ of \d+)/);
      }
  });
});

describe('the figure', () => {
  const overlaps = (a: { x: number; width: number }, b: { x: number; width: number }) =>
    a.x < b.x + b.width && b.x < a.x + a.width;
  test.each([
    { ranks: 4, width: 700 },
    { ranks: 16, width: 760 },
    { ranks: 4, width: 366 },
    { ranks: 16, width: 366, type: 'allToAll' as const },
  ])('columns are side by side, and every message has a way: %o', ({ width, ...part }) => {
    for (const algorithm of ['ring', 'naive', 'halvingDoubling', 'tree'] as const) {
      const result = run({ algorithm, length: 48, ...part });
      const layout = figureLayout(result, width);
      layout.columns.forEach((column, i) => {
        for (const other of layout.columns.slice(i + 1)) expect(overlaps(column, other)).toBe(false);
        expect(column.x + column.width).toBeLessThanOrEqual(layout.width);
      });
      for (const { transfers } of result.rounds)
        expect(waysOf(layout, result, transfers)).toHaveLength(transfers.length);
    }
  });
  test('sixteen ranks of a ring fit a wide page', () => {
    expect(figureLayout(run({ ranks: 16, length: 64 }), 760).width).toBeLessThanOrEqual(760);
  });
  test('messages that pass each other beside a column use separate lanes', () => {
    const result = run({ algorithm: 'halvingDoubling', ranks: 8, length: 64 });
    const layout = figureLayout(result, 800);
    const first = at(result.rounds, 0);
    const paths = waysOf(layout, result, first.transfers).map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

test('explains why two algorithms change places, with the figures of both', () => {
  const crossover: LabCrossover = {
    bytes: 65536,
    timeUs: 120,
    below: { algorithm: 'tree', rounds: 6, bytes: 131072 },
    above: { algorithm: 'ring', rounds: 14, bytes: 114688 },
  };
  const text = crossoverText(crossover);
  expect(text).toBe(
    'Below 64 KiB tree is faster: its longest chain has 6 messages, the longest chain of ring has 14, and each costs α. ' +
      'From there on (120 µs) ring is at least as fast: its busiest rank sends 112 KiB, the busiest rank of tree 128 KiB.',
  );
});

test('naive is explained by the root’s port, equal loads by what is left of α', () => {
  const ring = { algorithm: 'ring', rounds: 14, bytes: 1792 } as const;
  const naive = crossoverText({
    bytes: 1024,
    timeUs: 15,
    below: { algorithm: 'naive', rounds: 14, bytes: 7168 },
    above: ring,
  });
  expect(naive).toContain('keeps the root’s port busy for α/2 only, while ring waits α for each of 14');
  const halving = { algorithm: 'halvingDoubling', rounds: 6, bytes: 1792 } as const;
  const same = crossoverText({ bytes: 1024, timeUs: 15, below: halving, above: ring });
  expect(same).toContain('both take the same time within a thousandth: their busiest ranks send 1.75 KiB either way');
});

test('algorithms that never change places are named with the faster one first, and NCCL’s choice is explained', () => {
  const curves = labCurves(labRequest(must(withLab(DEFAULT_LAB, { ranks: 8 }), 'settings')));
  expect(neverText(curves, 'ring').join(' ')).toMatch(
    /halving-doubling (is|are) at least as fast as ring at every size/,
  );
  expect(ncclText(curves).join(' ')).toMatch(/chooses algorithm and protocol by size.*no halving-doubling/);
});

test('the presets are the modelled machines’ protocols, and the lab starts with one', () => {
  const rows = [...NVLINK_PROTOCOLS, ...PCIE_PROTOCOLS, ...ETHERNET_PROTOCOLS].map(({ startUs, inside }) => ({
    startUs,
    latencyUs: inside.latencyUs,
    gbPerS: inside.bytesPerSecond / 1e9,
  }));
  for (const row of rows) expect(presetOf(row)).not.toBe('own');
  expect(LINK_PRESETS).toHaveLength(rows.length + 1);
  expect(presetOf(DEFAULT_LAB)).toBe('pcieSimple');
  expect(presetOf({ latencyUs: DEFAULT_LAB.acrossUs, gbPerS: DEFAULT_LAB.acrossGbPerS })).toBe('ethernet');
});

test('a value outside its limits is refused with the limits', () => {
  expect(limitsOf('ranks', DEFAULT_LAB)).toBe('The value must be a whole number from 1 to 16.');
  expect(limitsOf('root', DEFAULT_LAB)).toBe('The value must be a whole number from 0 to 3.');
  expect(limitsOf('gbPerS', DEFAULT_LAB)).toBe('The value must be a number from 0.000001 to 100000.');
});

test('masks are counted, presets found, formulas set in Greek', () => {
  expect([0, 1, 0b1011, 0xffff].map(contributorsIn)).toEqual([0, 1, 3, 16]);
  expect(presetOf({ startUs: 8.4, latencyUs: 5, gbPerS: 240 })).toBe('nvlinkSimple');
  expect(presetOf({ startUs: 8.4, latencyUs: 5, gbPerS: 241 })).toBe('own');
  expect(presetOf({ latencyUs: 30, gbPerS: 1 })).toBe('ethernet');
  expect(formulaText('2 (N-1) (alpha + S / (N beta))')).toBe('2\u00a0(N−1) (α + S\u00a0/\u00a0(N β))');
});
