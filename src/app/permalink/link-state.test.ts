/** The part of a link that leads to a moment: parsed, printed and parsed again, and refused in words. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FULL_SPEED, setByHand } from '../pace/pace';
import { type LinkState, microBatchAt, NO_STATE, parseState, printState } from './link-state';
import { PANELS } from './page-parts';

function read(pairs: Readonly<Record<string, string>>) {
  const refused: string[] = [];
  const state = parseState(new Map(Object.entries(pairs)), (key) => refused.push(key));
  return { state, refused };
}

test('a link without a moment opens no moment', () => {
  expect(read({})).toEqual({ state: NO_STATE, refused: [] });
  expect(printState(NO_STATE)).toEqual([]);
});

test('all keys of a link', () => {
  const { state, refused } = read({
    at: '12.2',
    event: '77:0.45',
    clock: 'measured',
    speed: '2s',
    select: '34',
    open: 'events,memory:2',
    view: 'attention',
    tab: 'build',
    units: '0',
    timeline: "(from:0.2,to:0.5,find:'all_reduce')",
  });
  expect(refused).toEqual([]);
  expect(state).toMatchObject({
    at: { step: 12, part: 2 },
    event: { number: 77, fraction: 0.45 },
    clock: 'measured',
    select: 34,
  });
  expect([...state.shown]).toEqual([
    ['events', ''],
    ['memory', '2'],
    ['view', 'attention'],
    ['tab', 'build'],
    ['units', '0'],
    ['timeline', '(from:0.2,to:0.5,find:all_reduce)'],
  ]);
});

test.each([
  ['at', '0'],
  ['at', '-3'],
  ['at', '1e5'],
  ['at', '99999999999'],
  ['moment', 'x'],
  ['event', '1:2'],
  ['clock', 'wall'],
  ['speed', '100s'],
  ['speed', '0s'],
  ['select', '0'],
  ['open', 'everything,events'],
  ['view', '<b>'],
  ['tab', 'settings'],
  ['units', 'us'],
  ['timeline', 'constructor('],
])('%s=%s is refused', (key, text) => {
  expect(read({ [key]: text }).refused).toEqual([key]);
});

test('the last micro-batch of a step means the step; a larger number means the last', () => {
  expect(microBatchAt({ step: 3, part: undefined }, { accumulate: 4 })).toBe(11);
  expect(microBatchAt({ step: 3, part: 1 }, { accumulate: 4 })).toBe(8);
  expect(microBatchAt({ step: 3, part: 9 }, { accumulate: 4 })).toBe(11);
});

const anyState: fc.Arbitrary<LinkState> = fc.record({
  at: fc.constantFrom('construct' as const, { step: 1, part: undefined }, { step: 1_000_000, part: 3 }),
  moment: fc.option(fc.nat(400), { nil: undefined }),
  event: fc.option(fc.record({ number: fc.nat(4000), fraction: fc.constantFrom(1, 0.5, 0.125, 0.999, 0.001) }), {
    nil: undefined,
  }),
  clock: fc.constantFrom('measured' as const, undefined),
  pace: fc.option(fc.nat(FULL_SPEED).map(setByHand), { nil: undefined }),
  select: fc.option(fc.integer({ min: 1, max: 4000 }), { nil: undefined }),
  shown: fc.subarray([...PANELS]).map((names) => new Map(names.map((name) => [name, name === 'memory' ? '3' : '']))),
});

test('a written link is read back as the same', () => {
  void fc.assert(
    fc.property(anyState, (state) => {
      const { state: again, refused } = read(Object.fromEntries(printState(state)));
      expect(refused).toEqual([]);
      const { pace, ...rest } = again;
      expect(rest).toEqual(withoutPace(state));
      expect(pace?.place ?? -2).toBeCloseTo(placeWritten(state), 1);
    }),
  );
});

const withoutPace = ({ pace: _, ...rest }: LinkState) => rest;
const placeWritten = ({ pace }: LinkState): number => pace?.place ?? -2;
