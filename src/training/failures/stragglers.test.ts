/**
 * A rank or a link slowed down by hand: the same numbers, its own work longer on both clocks, and the others' waiting
 * laid at its door.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import type { Clock, StepTrace } from '../../protocol/trace';
import { whyIdle } from '../../trace/idle';
import { totalUs } from '../../trace/lanes';
import { waitingUs } from '../../trace/waiting';

const SLOW = 2;
const config: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 3,
  placement: 'workers',
  model: { layers: [{ type: 'Linear', in: 2, out: 8 }, { type: 'Tanh' }, { type: 'Linear', in: 8, out: 1 }] },
  data: { type: 'xor', samples: 30 },
  batchSize: 6,
  compareSingle: false,
  steps: 12,
};
const stragglers = [{ type: 'rank', rank: SLOW, factor: 50 }] as const;
const run = (input: ConfigInput) => runConfig({ ...config, ...input }, {}, { trace: true });

const lastOf = (traces: readonly StepTrace[]): StepTrace => must(traces.at(-1), 'a trace');
const computed = ({ events, modelled }: StepTrace, device: number, clock: Clock): readonly number[] =>
  events.flatMap((e, i) =>
    e.device === device && e.kind === 'compute' ? [clock === 'measured' ? e.durUs : (modelled[i]?.durUs ?? 0)] : [],
  );
const modelledUs = (trace: StepTrace, device: number): number =>
  computed(trace, device, 'modelled').reduce((a, b) => a + b, 0);
/** Of the traced step in which the rank worked least: the machine may have paused in another. */
const leastWorkUs = (traces: readonly StepTrace[], rank: number): number =>
  Math.min(...traces.map((trace) => computed(trace, rank, 'measured').reduce((a, b) => a + b, 0)));

test('a slow rank: both clocks show it, and that the other ranks wait for it', async () => {
  const [slow, even] = [await run({ stragglers: [...stragglers] }), await run({})];
  expect(slow.report.losses).toEqual(even.report.losses);
  expect(slow.weights()).toEqual(even.weights());
  const trace = lastOf(slow.traces);
  expect(modelledUs(trace, SLOW)).toBeCloseTo(50 * modelledUs(trace, 0), 6);
  // Of what this machine took, whatever that is: the rank rests 49 times as long as it has worked.
  // Ranks that are not slowed do the same work; a busy machine may pause any of them, and hardly all of them.
  const atEase = [leastWorkUs(even.traces, SLOW), leastWorkUs(slow.traces, 0), leastWorkUs(slow.traces, 1)];
  expect(leastWorkUs(slow.traces, SLOW)).toBeGreaterThan(5 * Math.min(...atEase));
  expect(slow.report.time.modelledStepUs).toBeGreaterThan(10 * even.report.time.modelledStepUs);
  const total = totalUs(trace, 'modelled');
  for (const other of [0, 1]) {
    const waits = waitingUs(trace, 'modelled', [other]);
    expect(must(waits.get(SLOW), 'waiting for the slow rank') / total).toBeGreaterThan(0.6);
    expect(whyIdle(trace, 'modelled', other, total / 2)).toBe(
      `rank ${other} waits for rank ${SLOW} in bucket 0's all-reduce`,
    );
  }
  expect(waitingUs(trace, 'modelled', [SLOW]).size).toBe(0);
});

test('a slow link: its messages take so many times as long', async () => {
  const link = { type: 'link', from: 1, to: 0, factor: 30 } as const;
  const [slow, even] = [await run({ stragglers: [link] }), await run({})];
  expect(slow.report.losses).toEqual(even.report.losses);
  expect(slow.weights()).toEqual(even.weights());
  /** Of the messages alone: what a rank takes to start a collective has nothing to do with the link. */
  const sends = (trace: StepTrace, from: number) =>
    trace.events.flatMap((e, i) => {
      const { durUs, startingUs = 0 } = must(trace.modelled[i], 'a modelled time');
      return e.kind === 'send' && e.device === from ? [durUs - startingUs] : [];
    });
  expect(sends(lastOf(even.traces), 1).length).toBeGreaterThan(0);
  sends(lastOf(slow.traces), 1).forEach((us, i) => {
    expect(us).toBeCloseTo(30 * must(sends(lastOf(even.traces), 1)[i], 'a send'), 6);
  });
  const others = [slow, even].map(({ traces }) => sends(lastOf(traces), 2).reduce((a, b) => a + b, 0));
  expect(others[0]).toBeCloseTo(must(others[1], 'a time'), 6);
});

test('in one memory space only the modelled clock shows it, and a notice says so', async () => {
  const { report } = await run({ stragglers: [...stragglers], placement: 'shared' });
  expect(report.notices.map(({ id }) => id)).toContain('straggler-modelled');
});
