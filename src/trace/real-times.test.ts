/**
 * Order, moments, times and sentences derived from steps that really ran, in every mode: nothing comes before what it
 * needs, and the times of a device add up to the step.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { ConfigInput, Mode } from '../protocol/config';
import { mlpLayers, PRESETS } from '../protocol/presets';
import type { Clock, StepTrace } from '../protocol/trace';
import { createCauses } from './causes';
import { criticalPath } from './critical-path';
import { timeUse, whyIdle } from './idle';
import { deviceCount, lanesOf, totalUs } from './lanes';
import { momentSentence } from './moments/moment-sentence';
import { whyOf } from './moments/moment-why';
import { byMoments, momentsOf } from './moments/moments';
import { sentenceOf } from './sentence';
import { realRuns } from './testing/real-runs';
import { printTrace } from './trace-text';

const CLOCKS: readonly Clock[] = ['measured', 'modelled'];
const { run, holds, forget } = realRuns();
afterAll(forget);

test('every order of a step respects every dependency and every queue', () =>
  holds(({ traces }) => {
    for (const original of traces) {
      for (const trace of [original, byMoments(original)]) {
        const indexOf = new Map(trace.events.map((e, index) => [e.id, index]));
        trace.events.forEach((e, index) => {
          for (const id of e.deps) expect(must(indexOf.get(id), 'dependency')).toBeLessThan(index);
        });
        const queues = new Set(trace.events.map((e) => `${e.device} ${e.queue}`));
        for (const queue of queues) {
          const ids = trace.events.filter((e) => `${e.device} ${e.queue}` === queue).map((e) => e.id);
          expect(ids).toEqual([...ids].sort((a, b) => a - b));
        }
      }
    }
  }));

test('a moment is one stretch of the step, holds both ends of its messages, and every event is in one', () =>
  holds(({ traces }) => {
    for (const original of traces) {
      const { events, moments } = byMoments(original);
      expect(moments.flatMap((moment) => moment.events)).toEqual(events.map((_, index) => index));
      for (const own of moments) {
        const ids = new Set(own.events.map((index) => at(events, index).id));
        for (const index of own.events) {
          const { match, collective } = at(events, index);
          if (match !== undefined && collective) expect(ids.has(match)).toBe(true);
        }
      }
    }
  }));

test('computing, exposed communication and idle time add up to the step', () =>
  holds(({ traces }) => {
    for (const trace of traces) {
      for (const clock of CLOCKS) {
        const total = totalUs(trace, clock);
        for (let device = 0; device < deviceCount(trace); device++) {
          const use = timeUse(trace, clock, device);
          const tolerance = 6 - Math.max(0, Math.ceil(Math.log10(total)));
          expect(use.computeUs + use.exposedUs + use.idleUs).toBeCloseTo(total, tolerance);
          expect(use.overlapUs).toBeLessThanOrEqual(Math.min(use.computeUs, use.commUs) + 1e-6 * total);
        }
      }
    }
  }));

test('the critical path goes from the beginning of the step to its end without a gap', () =>
  holds(({ traces }) => {
    for (const trace of traces) {
      for (const clock of CLOCKS) {
        const causes = createCauses(trace, clock);
        const { parts, events, totalUs: total, computeUs, messageUs, waitsUs } = criticalPath(causes);
        expect(total).toBe(totalUs(trace, clock));
        expect([at(parts, 0).startUs, must(parts.at(-1), 'part').endUs]).toEqual([0, total]);
        parts.slice(1).forEach((part, k) => {
          expect(part.startUs).toBe(at(parts, k).endUs);
        });
        expect((computeUs + messageUs + waitsUs) / total).toBeCloseTo(1, 9);
        // In the order of the clock, which may be another than that of the trace, and no event twice.
        expect(new Set(events).size).toBe(events.length);
        const ends = events.map((event) => at(causes.spans, event).endUs);
        ends.slice(1).forEach((end, k) => {
          expect(end).toBeGreaterThanOrEqual(at(ends, k) - causes.nothingUs);
        });
      }
    }
  }));

/** Waits on the critical path; a gap shorter than nothingUs is none, since times are sums of floats. */
const waitsOf = (trace: StepTrace) => {
  const causes = createCauses(trace, 'modelled');
  const { parts } = criticalPath(causes);
  return parts.filter(({ kind, startUs, endUs }) => kind === 'waits' && endUs - startUs > causes.nothingUs);
};

test('on the modelled clock nothing on the critical path waits, but for the start of a collective', () =>
  holds(({ traces }) => {
    for (const trace of traces)
      for (const part of waitsOf(trace)) expect(at(trace.events, part.event).collective).toBeDefined();
  }, 2));

// A load of a worker has the port for which the server's first message waits, and its event comes later in the trace.
test('that holds for a parameter server whose workers load few rows, too', async () => {
  const few = { mode: 'parameterServer', worldSize: 3, batchSize: 4, data: { type: 'xor', samples: 30 } } as const;
  const { traces } = await run({ ...few, model: { layers: mlpLayers([2, 1, 1, 1], 'Tanh') } }, 1);
  for (const part of waitsOf(at(traces, 0))) expect(at(at(traces, 0).events, part.event).collective).toBeDefined();
});

test('on the modelled clock no queue does two things at once', () =>
  holds(({ traces }) => {
    for (const trace of traces) {
      for (const { spans } of lanesOf(trace, 'modelled')) {
        spans.slice(1).forEach((next, k) => {
          const { startUs, durUs } = at(spans, k);
          expect(next.startUs).toBeGreaterThanOrEqual(startUs + durUs - 1e-6);
        });
      }
    }
  }));

test('every event has a complete sentence', () =>
  holds(({ traces }) => {
    for (const trace of traces) {
      for (let index = -1; index <= trace.events.length; index++) {
        for (const clock of CLOCKS)
          expect(sentenceOf(trace, index, clock)).toMatch(/^(?!.*(undefined|NaN|\[object|\?))[a-zA-Z].+[^.]$/);
      }
    }
  }, 2));

describe.each(['ddp', 'dataParallel', 'modelParallel'] satisfies readonly Mode[])('%s', (mode) => {
  test('the same Program gives the same text in every placement', async () => {
    const config: ConfigInput = { mode, worldSize: 3, batchSize: 12, data: { type: 'xor', samples: 30 } };
    const shared = await run({ ...config, placement: 'shared' }, 3);
    const apart = await run({ ...config, placement: 'workers' }, 3);
    expect(apart.traces.map(printTrace)).toEqual(shared.traces.map(printTrace));
  });
});

test('naive model parallelism: one device computes at a time, and the others say what they wait for', async () => {
  const { traces } = await run({ mode: 'modelParallel', worldSize: 3, batchSize: 12 }, 1);
  const trace = at(traces, 0);
  const busy = trace.events
    .map((e, index) => ({ e, ...at(trace.modelled, index) }))
    .filter(({ e }) => e.kind === 'compute' && e.phase !== 'step')
    .sort((a, b) => a.startUs - b.startUs);
  busy.slice(1).forEach((next, k) => {
    const one = at(busy, k);
    expect(next.startUs).toBeGreaterThanOrEqual(one.startUs + one.durUs - 1e-6);
  });
  const first = at(busy, 0);
  expect(whyIdle(trace, 'modelled', 2, first.startUs)).toMatch(/^cuda:2 waits for the output of layer .+ from cuda:1$/);
  const turn = must(
    busy.find(({ e }) => e.phase === 'loss'),
    'loss',
  );
  expect(whyIdle(trace, 'modelled', 0, turn.startUs)).toMatch(/^cuda:0 waits for (the )?gradient .+ from cuda:1$/);
});

test('ranks of a tensor group whose plan cuts nothing have the same samples, and no gradients to average', async () => {
  const { traces } = await run({ mode: 'tensor', worldSize: 2, tensor: { plan: {} }, batchSize: 12 }, 1);
  const trace = at(traces, 0);
  const said = momentsOf(trace).map(
    (moment) => `${momentSentence(trace, moment, 'modelled')} ${whyOf(trace, moment, 'modelled') ?? ''}`,
  );
  expect(said[0]).toMatch(/load the same 12 samples/);
  for (const text of said) expect(text).not.toMatch(/own samples|averaged|DistributedSampler/);
});

test('ranks that gather and compute at different times do not tear a GPT’s step apart', async () => {
  const config: ConfigInput = { ...PRESETS.gpt.config, mode: 'sharded', worldSize: 4, precision: 'autocast-bf16' };
  const [trace] = (await run(config, 1)).traces;
  const moments = byMoments(must(trace, 'trace')).moments;
  // It had 307, most of them one operator of one rank.
  expect(moments.length).toBeLessThan(130);
  expect(moments.filter(({ events }) => events.length < 4).length).toBeLessThan(10);
});
