/**
 * Traces of real steps held against the Program that ran and against the weights that it left: what the page draws is
 * what was computed.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { ContentsCursor, contentsAt } from '../trace/contents';
import { idleIntervals, whyIdle } from '../trace/idle';
import { deviceCount } from '../trace/lanes';
import { linkName, trafficOf } from '../trace/links';
import { metricsOf } from '../trace/metrics';
import { packetsOf } from '../trace/packets';
import { sentenceOf } from '../trace/sentence';
import { printTrace } from '../trace/trace-text';
import { expectOrder, type Traced, traced, transfersOf } from './testing/traced-step';

const cases: readonly (readonly [name: string, config: ConfigInput])[] = [
  ['single', { mode: 'single' }],
  ['DataParallel', { mode: 'dataParallel' }],
  ['DataParallel with fewer chunks than devices', { mode: 'dataParallel', worldSize: 4, batchSize: 5 }],
  ['DDP, one bucket', { mode: 'ddp' }],
  ['DDP, several buckets', { mode: 'ddp', ddp: { bucketCapMb: 0.0002 } }],
  ['DDP without overlap', { mode: 'ddp', ddp: { bucketCapMb: 0.0002, overlap: false } }],
  ['DDP, naive', { mode: 'ddp', worldSize: 4, ddp: { algorithm: 'naive' } }],
  ['DDP, hierarchical', { mode: 'ddp', worldSize: 4, nodes: 2, ddp: { algorithm: 'hierarchical' } }],
  ['DDP, double tree', { mode: 'ddp', worldSize: 4, ddp: { algorithm: 'doubleTree' } }],
  ['DDP of one', { mode: 'ddp', worldSize: 1 }],
  ['model parallel', { mode: 'modelParallel' }],
  ['model parallel, clipped', { mode: 'modelParallel', clipGradNorm: 1 }],
  [
    'model parallel, clipped by the infinity norm and by value',
    { mode: 'modelParallel', clipGradNorm: 0.1, clipGradNormType: 'inf', clipGradValue: 0.05 },
  ],
];

/** Of a configuration that several tests read: traced once for them. Whoever trains on takes `traced`. */
const kept = new Map<ConfigInput, Promise<Traced>>();
afterAll(() => kept.clear());

function tracedOnce(config: ConfigInput): Promise<Traced> {
  const own = kept.get(config) ?? traced(config);
  kept.set(config, own);
  return own;
}

describe.each(cases)('%s', (_, config) => {
  test('events are in the order of every queue and of every dependency', async () => {
    expectOrder(await tracedOnce(config));
  });

  test('packets are exactly the transfers of the Program', async () => {
    const { program, trace } = await tracedOnce(config);
    const ids = (list: readonly { readonly send: number; readonly recv: number }[]) =>
      list.map(({ send, recv }) => `${send}>${recv}`).sort();
    const transfers = transfersOf(program);
    const packets = packetsOf(trace);
    expect(ids(packets.map((p) => ({ send: at(trace.events, p.send).id, recv: at(trace.events, p.recv).id })))).toEqual(
      ids(transfers.map((t) => ({ send: t.send.id, recv: t.recv.id }))),
    );
    for (const p of packets) {
      const t = must(
        transfers.find(({ recv }) => recv.id === at(trace.events, p.recv).id),
        'transfer',
      );
      expect(p).toMatchObject({ from: t.from, to: t.to, bytes: t.send.bytes, payload: t.send.payload });
      expect(p).toMatchObject({ source: t.send.slice, target: t.recv.slice, apply: t.recv.apply });
    }
  });

  test('bytes over the links are the bytes sent, and the closed form', async () => {
    const { program, trace, info } = await tracedOnce(config);
    const { byLink, byPayload, sent, received, total } = trafficOf(trace);
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    const sends = program.lanes.flatMap((l) => l.instructions.filter((i) => i.kind === 'send'));
    expect(total).toBe(sum(sends.map((s) => s.bytes)));
    expect([sum(Object.values(byLink)), sum(Object.values(byPayload)), sum(sent), sum(received)]).toEqual([
      total,
      total,
      total,
      total,
    ]);
    for (const { from, to } of packetsOf(trace)) expect(byLink[linkName(from, to)]).toBeGreaterThan(0);
    const { formula, bytesAgree, bytesBeside } = metricsOf(trace, 'modelled', info);
    expect(formula.total).toBeCloseTo(total - bytesBeside, 6);
    expect(bytesAgree).toBe(true);
  });

  test('contents after the last event are the weights read back, and the start of the next step', async () => {
    const { training, trace } = await traced(config);
    const { devices } = await training.weights();
    const end = contentsAt(trace, trace.events.length - 1);
    devices.forEach((own, device) => {
      for (const [name, values] of own) expect(end.get(device)?.get(name)?.values).toEqual(values);
    });
    const next = await training.trace();
    for (const { device, captured } of next.initial) {
      for (const { buffer, values } of captured) expect(end.get(device)?.get(buffer)?.values).toEqual(values);
    }
  });

  test('a transfer leaves what the sender held, put or added to what the receiver held', async () => {
    const { trace } = await tracedOnce(config);
    const cursor = new ContentsCursor(trace);
    for (const p of packetsOf(trace)) {
      cursor.seek(p.recv - 1);
      const given = must(cursor.values(p.from, p.source), 'values sent');
      const own = cursor.values(p.to, p.target);
      const expected = p.apply === 'put' ? given : given.map((v, i) => Math.fround(at(must(own, 'own'), i) + v));
      expect(cursor.seek(p.recv).values(p.to, p.target)).toEqual(expected);
    }
  });

  test('the cursor gives what the plain fold gives, wherever it comes from', async () => {
    const { trace } = await tracedOnce(config);
    const cursor = new ContentsCursor(trace);
    const places = [...trace.events.keys()].filter((i) => i % 5 === 0);
    for (const place of [-1, ...places, ...places.reverse(), -1]) {
      cursor.seek(place);
      for (const [device, own] of contentsAt(trace, place)) {
        for (const [buffer, content] of own) expect(cursor.content(device, buffer)).toEqual(content);
      }
    }
  });

  test('the text is the same whether ranks share memory or are joined by ports', async () => {
    const [shared, joined] = [await tracedOnce(config), await traced({ ...config, placement: 'workers' })];
    expect(printTrace(joined.trace)).toBe(printTrace(shared.trace));
    const values = ({ trace }: Traced) => trace.events.map((e) => e.captured);
    expect(values(joined)).toEqual(values(shared));
  });

  test('every event and every gap has words', async () => {
    const { trace } = await tracedOnce(config);
    for (const clock of ['measured', 'modelled'] as const) {
      const said = trace.events.map((_, index) => sentenceOf(trace, index, clock));
      for (let device = 0; device < deviceCount(trace); device++) {
        for (const { startUs, endUs } of idleIntervals(trace, clock, device)) {
          said.push(must(whyIdle(trace, clock, device, (startUs + endUs) / 2), 'a reason to idle'));
        }
      }
      for (const sentence of said) {
        expect(sentence).not.toMatch(/undefined|NaN|\?|\s\s|\.$/);
        // A buffer of ours is no word; PyTorch's function is.
        expect(sentence).not.toMatch(/grad_norms?(?!_\(\))|all_stats|@\d/);
      }
    }
  });

  test('numbers are within their bounds', async () => {
    const { trace, info } = await tracedOnce(config);
    for (const clock of ['measured', 'modelled'] as const) {
      const { use, idle, overlap, allocatedBytes, shares, stepUs } = metricsOf(trace, clock, info);
      expect(stepUs).toBeGreaterThan(0);
      for (const u of use) expect(u.computeUs + u.exposedUs + u.idleUs).toBeCloseTo(stepUs, 3);
      for (const share of [idle, overlap ?? 0]) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }
      expect(shares.computing + shares.waitingForCommunication + shares.idle).toBeCloseTo(1, 6);
      expect(shares.idleForOthers + shares.idleDone).toBeCloseTo(shares.idle, 6);
      allocatedBytes.forEach((bytes, device) => {
        expect(bytes).toBeLessThanOrEqual(at(info.memory, device).peakBytes);
      });
    }
  });
});

test('order, packets and bytes hold for any mesh, bucket cap and batch', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        mode: fc.constantFrom('ddp', 'dataParallel', 'modelParallel'),
        devices: fc.integer({ min: 1, max: 8 }),
        width: fc.integer({ min: 1, max: 3 }),
        batchSize: fc.integer({ min: 8, max: 30 }),
        algorithm: fc.constantFrom('ring', 'naive'),
        bucketCapMb: fc.constantFrom(0.00001, 0.0001, 0.0004, 1),
      }),
      async ({ mode, devices, width, batchSize, algorithm, bucketCapMb }) => {
        const worldSize = mode === 'modelParallel' ? Math.min(devices, 3) : devices;
        const widths = [2, width, width + 1, 1];
        const layers = widths.slice(1).map((out, i) => ({ type: 'Linear' as const, in: at(widths, i), out }));
        const run = await traced({ mode, worldSize, batchSize, model: { layers }, ddp: { algorithm, bucketCapMb } });
        expectOrder(run);
        expect(packetsOf(run.trace)).toHaveLength(transfersOf(run.program).length);
        expect(metricsOf(run.trace, 'modelled', run.info).bytesAgree).toBe(true);
      },
    ),
    { numRuns: 25 },
  ));
