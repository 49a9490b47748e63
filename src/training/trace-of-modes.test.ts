/** What a trace says about its mode: whose sums a ring holds, what overlaps, which device does most, the buckets. */
import { expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { kindLabel } from '../protocol/step-kind';
import { CAPTURE_LIMIT, type Slice } from '../protocol/trace';
import { ContentsCursor, contentsAt } from '../trace/contents';
import { metricsOf } from '../trace/metrics';
import { packetsOf } from '../trace/packets';
import { turnsRing } from '../trace/ring-words';
import { summedAt } from '../trace/sums';
import { expectOrder, type Traced, traced } from './testing/traced-step';

test('the ring sums each chunk rank by rank and leaves the same mean on all of them', async () => {
  const { trace } = await traced({ mode: 'ddp', worldSize: 4, ddp: { bucketCapMb: 0.0002 } });
  const last = trace.events.length - 1;
  const adds = packetsOf(trace).filter((p) => p.apply === 'add');
  expect(adds).toHaveLength(2 * 4 * 3);
  // As gloo's, which the page says beside it.
  expect(turnsRing(trace)).toBe(true);
  expect(adds.every(({ from, to }) => (from + 3) % 4 === to)).toBe(true);
  for (const p of adds) {
    expect(summedAt(trace, p.recv, p.to, p.target)).toBe(p.collective?.summed);
    expect(summedAt(trace, p.recv - 1, p.to, p.target)).toBe(1);
  }
  const end = contentsAt(trace, last);
  for (const bucket of ['bucket0', 'bucket1']) {
    const length = must(end.get(0)?.get(bucket), bucket).values.length;
    for (let rank = 0; rank < 4; rank++) {
      expect(end.get(rank)?.get(bucket)?.values).toEqual(end.get(0)?.get(bucket)?.values);
      expect(summedAt(trace, last, rank, { buffer: bucket, offset: 0, length })).toBe(4);
    }
  }
});

test('buckets overlap with backward on the modelled clock, unless overlap is off', async () => {
  const overlapOf = async (overlap: boolean) => {
    const { trace, info } = await traced({ mode: 'ddp', ddp: { bucketCapMb: 0.0002, overlap } });
    return must(metricsOf(trace, 'modelled', info).overlap, 'overlap');
  };
  expect(await overlapOf(true)).toBeGreaterThan(await overlapOf(false));
});

test('naive model parallelism: one device after the other computes forward and backward', async () => {
  const { trace, info } = await traced({ mode: 'modelParallel' });
  const spans = trace.events.flatMap((e, index) => {
    const { startUs, durUs } = at(trace.modelled, index);
    const works = e.kind === 'compute' && e.phase !== 'step';
    return works ? [{ device: e.device, startUs, endUs: startUs + durUs }] : [];
  });
  for (const a of spans) {
    for (const b of spans) if (a.device !== b.device) expect(a.endUs <= b.startUs || b.endUs <= a.startUs).toBe(true);
  }
  expect(metricsOf(trace, 'modelled', info).idle).toBeGreaterThan(0.5);
});

test('DataParallel uses device 0 most', async () => {
  const { trace, info } = await traced({ mode: 'dataParallel' });
  const { traffic, allocatedBytes, use } = metricsOf(trace, 'modelled', info);
  for (const device of [1, 2]) {
    expect(at(traffic.sent, 0)).toBeGreaterThan(at(traffic.sent, device));
    expect(at(allocatedBytes, 0)).toBeGreaterThan(at(allocatedBytes, device));
    expect(at(use, 0).idleUs).toBeLessThan(at(use, device).idleUs);
  }
});

test('DDP sends one bucket in iteration 0 and the rebuilt ones after it', async () => {
  const bucketsOf = ({ trace }: Traced) => [
    ...new Set(trace.events.flatMap((e) => (e.bucket === undefined ? [] : [e.bucket]))),
  ];
  const config: ConfigInput = { mode: 'ddp', ddp: { bucketCapMb: 0.0002 } };
  const first = await traced(config, 0);
  expect([`${kindLabel(first.trace.kind)}`, bucketsOf(first)]).toEqual(['first', [0]]);
  expectOrder(first);
  expect(metricsOf(first.trace, 'modelled', first.info).bytesAgree).toBe(true);
  expect(bucketsOf(await traced(config, 1))).toEqual([0, 1]);
});

test('of long buffers the first elements are captured, of a chunk the chunk’s elements', async () => {
  const layers = [
    { type: 'Linear', in: 2, out: 64 },
    { type: 'Linear', in: 64, out: 64 },
    { type: 'Linear', in: 64, out: 1 },
  ] as const;
  const { training, trace } = await traced({ mode: 'ddp', worldSize: 2, model: { layers: [...layers] } });
  const { devices } = await training.weights();
  const cursor = new ContentsCursor(trace).seek(trace.events.length - 1);
  const long = must(devices[0]?.get('1.weight'), 'weight');
  expect(cursor.content(0, '1.weight')?.values).toEqual(long.subarray(0, CAPTURE_LIMIT));
  const far: Slice = must(
    packetsOf(trace).find((p) => p.target.offset > CAPTURE_LIMIT)?.target,
    'a chunk behind the limit',
  );
  expect(cursor.values(0, far)).toHaveLength(CAPTURE_LIMIT);
  expect(cursor.values(0, far)).toEqual(cursor.values(1, far));
  expect(cursor.values(0, { ...far, offset: far.offset - 1 })).toBeUndefined();
});
