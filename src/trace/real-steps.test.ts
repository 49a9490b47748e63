/**
 * The derivations on steps that really ran, in every mode: the picture is the computation. Packets are the transfers,
 * their bytes are the closed form, the values under the cursor are those that were added and trained.
 */
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { sessionInfo } from '../headless/session-info';
import { type ConfigInput, MODES, type Mode } from '../protocol/config';
import { mlpLayers, PRESETS } from '../protocol/presets';
import type { SessionInfo } from '../protocol/session-info';
import { kindLabel } from '../protocol/step-kind';
import type { Clock, StepTrace } from '../protocol/trace';
import { createBlueprint } from '../training/blueprint';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import type { Weights } from '../training/weights/weights';
import { createCauses } from './causes';
import { ContentsCursor, contentsAt } from './contents';
import { criticalPath } from './critical-path';
import { timeUse, whyIdle } from './idle';
import { deviceCount, lanesOf, totalUs } from './lanes';
import { trafficOf } from './links';
import { metricsOf } from './metrics';
import { momentSentence } from './moments/moment-sentence';
import { whyOf } from './moments/moment-why';
import { byMoments, momentsOf } from './moments/moments';
import { packetsOf } from './packets';
import { sentenceOf } from './sentence';
import { summedAt } from './sums';
import { printTrace } from './text';

const CLOCKS: readonly Clock[] = ['measured', 'modelled'];
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

interface Run {
  readonly info: SessionInfo;
  readonly traces: readonly StepTrace[];
  readonly weights: Weights;
}

/** Every property draws the same configurations: each of them is run once for all. */
const runs = new Map<string, Promise<Run>>();
afterAll(() => runs.clear());

function run(input: ConfigInput, steps: number): Promise<Run> {
  const key = JSON.stringify([input, steps]);
  const kept = runs.get(key) ?? runAnew(input, steps);
  runs.set(key, kept);
  return kept;
}

async function runAnew(input: ConfigInput, steps: number): Promise<Run> {
  const blueprint = createBlueprint(parseConfig({ device: 'cpu', compareSingle: false, ...input }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const traces: StepTrace[] = [];
  for (let k = 0; k < steps; k++) traces.push(await training.trace());
  const result = { info: sessionInfo(training), traces, weights: await training.weights() };
  await training.dispose();
  return result;
}

/**
 * Three layers, so that up to three devices can share them; 30 rows in batches of 12, so that the last of an epoch is
 * short.
 */
const configsOf = (modes: readonly Mode[]) =>
  fc
    .record({
      mode: fc.constantFrom(...modes),
      worldSize: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(1000),
      width: fc.integer({ min: 1, max: 9 }),
      batchSize: fc.integer({ min: 4, max: 12 }),
      algorithm: fc.constantFrom('ring' as const, 'naive' as const),
      overlap: fc.boolean(),
      capBytes: fc.integer({ min: 11, max: 900 }),
    })
    .map(
      ({ width, algorithm, overlap, capBytes, ...rest }): ConfigInput => ({
        ...rest,
        model: {
          layers: [
            { type: 'Linear', in: 2, out: width },
            { type: 'Tanh' },
            { type: 'Linear', in: width, out: width },
            { type: 'ReLU' },
            { type: 'Linear', in: width, out: 1 },
          ],
        },
        data: { type: 'xor', samples: 30 },
        ddp: { algorithm, overlap, bucketCapMb: capBytes / 2 ** 20 },
        // The shortest last batch has two rows.
        pipeline: { schedule: 'GPipe', microBatches: 2 },
      }),
    );

/** A mode whose layers are cut has collectives in the forward pass; it has cases of its own. */
const CUT = 'tensor';

async function holds(check: (run: Run) => void, steps = 4): Promise<void> {
  for (const [modes, numRuns] of [
    [MODES.filter((mode) => mode !== CUT), 25],
    [[CUT], 5],
  ] as const)
    await fc.assert(
      fc.asyncProperty(configsOf(modes), async (config) => check(await run(config, steps))),
      { numRuns },
    );
}

test('packets are exactly the transfers that ran, and their bytes are counted the same on every side', () =>
  holds(({ traces }) => {
    for (const trace of traces) {
      const packets = packetsOf(trace);
      const indices = (kind: 'send' | 'recv') => trace.events.flatMap((e, i) => (e.kind === kind ? [i] : []));
      expect(packets.map((p) => p.send).sort((a, b) => a - b)).toEqual(indices('send'));
      expect(packets.map((p) => p.recv)).toEqual(indices('recv'));
      for (const { source, target, bytes } of packets)
        expect([4 * source.length, 4 * target.length]).toEqual([bytes, bytes]);
      const { byLink, byPayload, sent, received, total } = trafficOf(trace);
      for (const side of [Object.values(byLink), Object.values(byPayload), sent, received])
        expect(sum(side)).toBe(total);
      expect(sum(packets.map((p) => p.bytes))).toBe(total);
    }
  }));

test('the bytes of every step, the first and the short last one too, are those of the closed form', () =>
  holds(({ info, traces }) => {
    for (const trace of traces) {
      const { bytesAgree, formula, traffic } = metricsOf(trace, 'modelled', info);
      expect(
        bytesAgree,
        `${formula.text}: ${formula.total} B, counted ${traffic.total} B in ${kindLabel(trace.kind)}`,
      ).toBe(true);
    }
    expect(at(info.closedForms, 0).form.text).not.toBe('');
  }));

test.each<ConfigInput>([
  { mode: 'parameterServer', worldSize: 4 },
  { mode: 'parameterServer', worldSize: 3, parameterServer: { synchronous: false, staleness: 3 } },
  { mode: 'ddp', worldSize: 3, ddp: { commHook: { type: 'fp16Compress' }, bucketCapMb: 0.0002 } },
  { mode: 'ddp', worldSize: 3, ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 2 } } },
  { mode: 'ddp', worldSize: 2, ddp: { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 1 } } },
])('bytes of %o', async (config) => {
  const { info, traces } = await run({ ...config, batchSize: 12 }, 4);
  for (const trace of traces) {
    const { bytesAgree, formula, traffic } = metricsOf(trace, 'modelled', info);
    expect(
      bytesAgree,
      `${formula.text}: ${formula.total} B, counted ${traffic.total} B in ${kindLabel(trace.kind)}`,
    ).toBe(true);
  }
});

test.each([
  // Mean, variance and count of 8 channels, sent to two ranks: 2 * (8 + 8 + 1) * 4 bytes.
  [{}, 136],
  // Beside these, forward 17 numbers of each rank to two others, backward an all-reduce of 16: 136 + 3 * 2 * 17 * 4 + 4
  // * 16 * 4.
  [{ syncBatchNorm: true }, 800],
  [{ broadcastBuffers: false }, 0],
] as const)('bytes beside the gradients under %o: %i', async (ddp, bytes) => {
  const layers = [
    { type: 'Linear' as const, in: 2, out: 8 },
    { type: 'BatchNorm1d' as const, features: 8 },
    { type: 'Linear' as const, in: 8, out: 1 },
  ];
  const { info, traces } = await run({ mode: 'ddp', worldSize: 3, batchSize: 12, model: { layers }, ddp }, 2);
  for (const trace of traces) {
    const { bytesAgree, bytesBeside } = metricsOf(trace, 'modelled', info);
    expect(bytesAgree).toBe(true);
    expect(bytesBeside).toBe(bytes);
  }
});

test('contents at a cursor do not depend on the cursor’s earlier positions', async () => {
  const { traces } = await run({ mode: 'ddp', worldSize: 3, batchSize: 12, ddp: { bucketCapMb: 0.0002 } }, 2);
  const trace = at(traces, 1);
  const cursor = new ContentsCursor(trace);
  const last = trace.events.length - 1;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -1, max: last }), { minLength: 1, maxLength: 8 }), async (seeks) => {
      for (const index of seeks) cursor.seek(index);
      const index = must(seeks.at(-1), 'seek');
      for (const [device, buffers] of contentsAt(trace, index)) {
        for (const [name, content] of buffers) expect(cursor.content(device, name)).toEqual(content);
      }
    }),
    { numRuns: 60 },
  );
});

test('after the last event the weights are the trained ones; the next step begins with them', () =>
  holds(({ traces, weights }) => {
    const last = must(traces.at(-1), 'last step');
    const end = new ContentsCursor(last).seek(last.events.length - 1);
    for (const [device, parameters] of weights.devices.entries()) {
      for (const [name, values] of parameters) expect(end.content(device, name)?.values, name).toEqual(values);
    }
    traces.slice(1).forEach((next, k) => {
      const before = at(traces, k);
      const ended = new ContentsCursor(before).seek(before.events.length - 1);
      for (const { device, captured } of next.initial) {
        for (const { buffer, values } of captured) expect(ended.content(device, buffer)?.values).toEqual(values);
      }
    });
  }));

test('a receive leaves the earlier value plus the sent value, to the last bit', () =>
  holds(({ traces }) => {
    for (const trace of traces) {
      for (const { send, recv, source, target, from, to, apply } of packetsOf(trace)) {
        const sent = new ContentsCursor(trace).seek(send).values(from, source);
        const before = new ContentsCursor(trace).seek(recv - 1).values(to, target);
        const after = new ContentsCursor(trace).seek(recv).values(to, target);
        const wanted = apply === 'put' ? sent : sent?.map((value, i) => (before?.[i] ?? Number.NaN) + value);
        expect(after).toEqual(wanted);
      }
    }
  }, 2));

test('after the all-reduce every rank holds the sum of all', () =>
  holds(({ info, traces }) => {
    if (info.config.mode !== 'ddp') return;
    for (const trace of traces) {
      const end = trace.events.length - 1;
      for (const { target, to, collective } of packetsOf(trace)) {
        if (collective?.op === 'allReduce') expect(summedAt(trace, end, to, target)).toBe(info.worldSize);
      }
    }
  }));

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
