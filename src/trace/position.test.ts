/** Stepping over events and phases, and between a cursor and a clock. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Phase } from '../protocol/trace';
import { lanesOf, totalUs } from './lanes';
import { nextEvent, nextPhase, phaseRuns, positionAt, previousEvent, previousPhase, timeOf } from './position';
import { makeTrace } from './testing/make-trace';

const ofPhases = (phases: readonly Phase[]) => makeTrace(phases.map((phase) => ({ phase })));
const step = ofPhases(['data', 'forward', 'forward', 'backward', 'reduce', 'backward', 'reduce', 'step']);

test('an all-reduce that overlaps with backward does not end backward', () => {
  expect(phaseRuns(step.events)).toEqual([
    { phase: 'data', first: 0, last: 0 },
    { phase: 'forward', first: 1, last: 2 },
    { phase: 'backward', first: 3, last: 5 },
    { phase: 'reduce', first: 6, last: 6 },
    { phase: 'step', first: 7, last: 7 },
  ]);
});

test('steps of a phase end where a phase ends, both ways', () => {
  expect([-1, 0, 1, 3, 6, 7].map((e) => nextPhase(step, e))).toEqual([0, 2, 2, 5, 7, 7]);
  expect([7, 6, 5, 2, 0, -1].map((e) => previousPhase(step, e))).toEqual([6, 5, 2, 0, -1, -1]);
});

test('steps of an event stay inside the trace', () => {
  expect([nextEvent(step, -1), nextEvent(step, 7), previousEvent(0), previousEvent(-1)]).toEqual([0, 7, -1, -1]);
  const empty = makeTrace([]);
  expect([nextEvent(empty, -1), nextPhase(empty, -1), timeOf(empty, 'modelled', { event: 0, fraction: 1 })]).toEqual([
    -1, -1, 0,
  ]);
});

test('the cursor is at the event that began last', () => {
  const overlapping = makeTrace([{ us: [0, 10] }, { us: [4, 6] }, { us: [4, 8] }, { us: [2, 12] }]);
  expect(positionAt(overlapping, 'modelled', -1)).toEqual({ event: -1, fraction: 1 });
  expect(positionAt(overlapping, 'modelled', 3)).toEqual({ event: 3, fraction: 0.1 });
  expect(positionAt(overlapping, 'modelled', 5)).toEqual({ event: 2, fraction: 0.25 });
  expect(positionAt(overlapping, 'measured', 1000)).toEqual({ event: 2, fraction: 1 });
  expect(timeOf(overlapping, 'modelled', { event: 2, fraction: 0.25 })).toBe(5);
  expect(totalUs(overlapping, 'measured')).toBe(120);
});

test('where events follow each other, time and cursor lead back to each other', () =>
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 9 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (durations, at) => {
        let end = 0;
        const row = makeTrace(
          durations.map((dur) => {
            end += dur;
            return { us: [end - dur, end] as const };
          }),
        );
        const time = at * end;
        expect(timeOf(row, 'modelled', positionAt(row, 'modelled', time))).toBeCloseTo(time, 6);
      },
    ),
  ));

test('each device has a lane for each queue, its spans by start', () => {
  const lanes = lanesOf(
    makeTrace([
      { us: [5, 6], device: 1 },
      { us: [0, 2], device: 1, queue: 'comm' },
      { us: [1, 2], device: 1 },
    ]),
    'modelled',
  );
  expect(lanes.map(({ device, queue, spans }) => [device, queue, spans.map((s) => s.event)])).toEqual([
    [0, 'compute', []],
    [0, 'comm', []],
    [1, 'compute', [2, 0]],
    [1, 'comm', [1]],
  ]);
});
