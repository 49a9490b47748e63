/**
 * The Chrome trace of real steps of every mode, held strictly against what Perfetto's importer needs and against the
 * trace itself.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { runConfig } from '../headless/run';
import { type ConfigInput, MODES, type Mode } from '../protocol/config';
import type { BufferInfo, Clock, CodeLine, StepTrace } from '../protocol/trace';
import { totalUs } from '../trace/lanes';
import { trafficOf } from '../trace/links';
import { type ChromeEvent, chromeTrace } from './chrome-trace';

const config: ConfigInput = {
  device: 'cpu',
  worldSize: 3,
  batchSize: 12,
  steps: 3,
  data: { type: 'xor', samples: 60 },
  ddp: { bucketCapMb: 0.0003 },
};

const runs = new Map<Mode, Promise<readonly StepTrace[]>>();
function tracesOf(mode: Mode): Promise<readonly StepTrace[]> {
  const run = runs.get(mode) ?? runConfig({ ...config, mode }, {}, { trace: true }).then((result) => result.traces);
  runs.set(mode, run);
  return run;
}

const of = (events: readonly ChromeEvent[], ph: ChromeEvent['ph']): readonly ChromeEvent[] =>
  events.filter((e) => e.ph === ph);
const threadOf = (e: ChromeEvent): string => `${e.pid}/${e.tid}`;
const endOf = (e: ChromeEvent): number => must(e.ts, 'ts') + must(e.dur, 'dur');
/** The nanosecond that rounding may take. */
const hair = 1e-3;

const cases = MODES.flatMap((mode) => (['measured', 'modelled'] as const).map((clock) => [mode, clock] as const));

describe.each(cases)('%s on the %s clock', (mode: Mode, clock: Clock) => {
  test('has one slice per event, with finite times, on named threads of named processes', async () => {
    const traces = await tracesOf(mode);
    const { traceEvents } = chromeTrace(traces, clock);
    const slices = of(traceEvents, 'X');
    expect(slices).toHaveLength(traces.reduce((n, t) => n + t.events.length, 0));
    const names = new Set(
      of(traceEvents, 'M').map((e) => `${e.name} ${e.name === 'thread_name' ? threadOf(e) : e.pid}`),
    );
    for (const slice of slices) {
      expect(Number.isFinite(slice.ts) && must(slice.ts, 'ts') >= 0).toBe(true);
      expect(Number.isFinite(slice.dur) && must(slice.dur, 'dur') >= 0).toBe(true);
      expect(slice.name).not.toBe('');
      expect(names).toContain(`process_name ${slice.pid}`);
      expect(names).toContain(`thread_name ${threadOf(slice)}`);
    }
  });

  test('slices of a thread do not overlap, and steps follow each other', async () => {
    const traces = await tracesOf(mode);
    const slices = of(chromeTrace(traces, clock).traceEvents, 'X');
    for (const thread of new Set(slices.map(threadOf))) {
      const own = slices
        .filter((e) => threadOf(e) === thread)
        .sort((a, b) => must(a.ts, 'ts') - must(b.ts, 'ts') || endOf(a) - endOf(b));
      own.slice(1).forEach((next, k) => {
        expect(must(next.ts, 'ts')).toBeGreaterThanOrEqual(endOf(at(own, k)) - hair);
      });
    }
    const [first, second] = traces;
    const inSecond = slices.filter((e) => e.args?.['step'] === second?.step);
    const begin = Math.min(...inSecond.map((e) => must(e.ts, 'ts')));
    expect(begin).toBeGreaterThanOrEqual(totalUs(must(first, 'first step'), clock) - hair);
  });

  test('one arrow per message, from inside its send to inside its receive, never back in time', async () => {
    const traces = await tracesOf(mode);
    const { traceEvents } = chromeTrace(traces, clock);
    const starts = of(traceEvents, 's');
    const ends = new Map(of(traceEvents, 'f').map((e) => [e.id, e]));
    const sends = traces.flatMap((t) => t.events.filter((e) => e.kind === 'send'));
    expect(starts).toHaveLength(sends.length);
    expect(new Set(starts.map((e) => e.id)).size).toBe(sends.length);
    expect(ends.size).toBe(sends.length);
    const encloses = (slice: ChromeEvent, arrow: ChromeEvent, verb: string) =>
      threadOf(slice) === threadOf(arrow) &&
      slice.name.startsWith(verb) &&
      must(slice.ts, 'ts') <= must(arrow.ts, 'ts') + hair &&
      must(arrow.ts, 'ts') <= endOf(slice) + hair;
    const slices = of(traceEvents, 'X');
    for (const start of starts) {
      const end = must(ends.get(start.id), 'end of arrow');
      expect(must(end.ts, 'ts')).toBeGreaterThanOrEqual(must(start.ts, 'ts'));
      expect(end.bp).toBe('e');
      expect([end.name, end.cat]).toEqual([start.name, start.cat]);
      expect(slices.some((slice) => encloses(slice, start, `send to cuda:${end.pid}`))).toBe(true);
      expect(slices.some((slice) => encloses(slice, end, `recv from cuda:${start.pid}`))).toBe(true);
    }
  });

  test('the bytes of its sends are the bytes that crossed', async () => {
    const traces = await tracesOf(mode);
    const sent = of(chromeTrace(traces, clock).traceEvents, 'X').filter((e) => e.name.startsWith('send'));
    const bytes = sent.reduce((sum, e) => sum + Number(e.args?.['bytes']), 0);
    expect(bytes).toBe(traces.reduce((sum, t) => sum + trafficOf(t).total, 0));
    expect(bytes > 0).toBe(mode !== 'single');
  });

  test('names its clock, and is plain JSON', async () => {
    const file = chromeTrace(await tracesOf(mode), clock);
    expect(file.otherData['clock']).toBe(clock);
    const labels = of(file.traceEvents, 'M').filter((e) => e.name === 'process_labels');
    expect(labels.map((e) => e.args?.['labels'])).toEqual(labels.map(() => `${clock} time`));
    expect(JSON.parse(JSON.stringify(file))).toEqual(file);
  });
});

test('a process is a rank under DDP, a device elsewhere', async () => {
  const names = (traces: readonly StepTrace[]) =>
    of(chromeTrace(traces, 'modelled').traceEvents, 'M').flatMap((e) =>
      e.name === 'process_name' ? [e.args?.['name']] : [],
    );
  expect(names(await tracesOf('ddp'))).toEqual(['rank 0 (cuda:0)', 'rank 1 (cuda:1)', 'rank 2 (cuda:2)']);
  expect(names(await tracesOf('modelParallel'))).toEqual(['cuda:0', 'cuda:1', 'cuda:2']);
});

test('a slice carries kernel, module, phase, flops, bucket and chunk', async () => {
  const slices = of(chromeTrace(await tracesOf('ddp'), 'modelled').traceEvents, 'X');
  const forward = must(
    slices.find((e) => e.args?.['kernel'] === 'ops/linear' && e.args?.['module'] === '2'),
    'forward of layer 2',
  );
  expect(forward.name).toBe('ops/linear (2)');
  expect(forward.cat).toBe('forward');
  expect(forward.args).toMatchObject({ phase: 'forward', pytorch: 'forward', rank: 0 });
  expect(Number(forward.args?.['flops'])).toBeGreaterThan(0);
  const hop = must(
    slices.find((e) => e.name.startsWith('recv') && e.args?.['part'] === 'reduce-scatter'),
    'a hop of the ring',
  );
  expect(hop.args).toMatchObject({ collective: 'allReduce', algorithm: 'ring', payload: 'gradient' });
  expect(hop.args).toHaveProperty('bucket');
  expect(hop.args).toHaveProperty('chunk');
  expect(hop.args).not.toHaveProperty('module');
});

test('with the listing and the buffers of the run: PyTorch lines, and a counter of live memory', async () => {
  const traces = await tracesOf('single');
  const code: readonly CodeLine[] = [{ text: '        loss.backward()', anchor: 'backward' }];
  const trace = at(traces, 0);
  const buffer = { device: 0, shape: [1], category: 'activation' as const };
  const written = must(trace.events.find((e) => e.name === 'ops/linear')?.writes[0], 'output of the first layer');
  const buffers: readonly BufferInfo[] = [
    { ...buffer, name: '0.weight', bytes: 1000, persistent: true },
    { ...buffer, name: written, bytes: 24, persistent: false },
  ];
  const { traceEvents, otherData } = chromeTrace([trace], 'modelled', {
    code,
    buffers,
    hardwareLabel: 'the example machine',
  });
  const backward = must(
    of(traceEvents, 'X').find((e) => e.cat === 'backward'),
    'backward',
  );
  expect(backward.args?.['pytorch']).toBe('loss.backward()');
  const live = of(traceEvents, 'C').map((e) => Number(e.args?.['live']));
  expect(live).toHaveLength(trace.events.length);
  expect(Math.max(...live)).toBeGreaterThanOrEqual(1024);
  expect(live.at(-1)).toBeLessThan(Math.max(...live));
  expect(otherData['clockMeaning']).toContain('the example machine');
});

test('no steps make an empty, valid file', () => {
  expect(chromeTrace([], 'measured').traceEvents).toEqual([]);
});
