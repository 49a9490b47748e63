/**
 * The derivations on steps that really ran, in every mode: the picture is the computation. Packets are the transfers,
 * their bytes are the closed form, the values under the cursor are those that were added and trained.
 */
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { kindLabel } from '../protocol/step-kind';
import { ContentsCursor, contentsAt } from './contents';
import { trafficOf } from './links';
import { metricsOf } from './metrics';
import { packetsOf } from './packets';
import { summedAt } from './sums';
import { realRuns } from './testing/real-runs';

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const { run, holds, forget } = realRuns();
afterAll(forget);

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
