/** The times of buckets in real steps, compared with the Program; and the stops of the slider. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { configSchema } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import { createSession } from '../../session/session';
import { columnOf } from './bucket-map';
import { bucketsOfStep, bucketTimes } from './bucket-times';
import { CAP_STOPS, capText, stopOf } from './cap-stops';

async function twoSteps(ddp: object): Promise<{ info: SessionInfo; traces: readonly StepTrace[] }> {
  const session = createSession(undefined);
  const [events, control] = [new MessageChannel(), new MessageChannel()];
  try {
    const config = v.parse(configSchema, {
      mode: 'ddp',
      worldSize: 2,
      batchSize: 8,
      device: 'cpu',
      compareSingle: false,
      // Slow enough that a bucket is packed while the one before it is still being reduced.
      hardware: 'ethernet10g',
      data: { type: 'xor', samples: 64, testFraction: 0 },
      ddp: { bucketCapMb: 0.25 / 1024, ...ddp },
    });
    const info = await session.open(config, {}, events.port2, control.port2);
    return { info, traces: [await session.traceStep(), await session.traceStep()] };
  } finally {
    await session.dispose();
    for (const port of [events.port1, control.port1]) port.close();
  }
}

describe('buckets of a step', () => {
  test('iteration 0 runs on the constructor’s bucket, the next on the rebuilt ones', async () => {
    const { info, traces } = await twoSteps({});
    const known = must(info.buckets, 'buckets');
    const [first, second] = traces.map((trace) => bucketsOfStep(known, trace.kind));
    expect(first).toBe(known.initial);
    expect(second).toBe(known.rebuilt);
    expect(second?.length).toBeGreaterThan(1);
  });

  test.each([true, false])('full, then packed, then reduced, in order; overlap %s', async (overlap) => {
    const { info, traces } = await twoSteps({ overlap });
    const known = must(info.buckets, 'buckets');
    const trace = must(traces[1], 'a step');
    const times = bucketTimes(trace, 'modelled', 0, bucketsOfStep(known, trace.kind), overlap);
    expect(times).toHaveLength(must(known.rebuilt, 'rebuilt').length);
    times.forEach((bucket, i) => {
      expect(bucket.arrivals.map(({ parameter }) => parameter).sort()).toEqual(
        [...must(known.rebuilt?.[i], 'bucket').parameters].sort(),
      );
      expect(bucket.fullUs).toBe(Math.max(...bucket.arrivals.map(({ atUs }) => atUs)));
      expect(bucket.packedUs).toBeGreaterThanOrEqual(bucket.fullUs);
      expect(bucket.reduceStartUs).toBeGreaterThanOrEqual(bucket.packedUs);
      expect(bucket.reduceEndUs).toBeGreaterThan(bucket.reduceStartUs);
      const before = times[i - 1];
      if (before) expect(bucket.reduceStartUs).toBeGreaterThanOrEqual(before.reduceEndUs - 1e-6);
      for (const event of bucket.events) expect(trace.events[event]?.bucket).toBe(bucket.index);
    });
    expect(times[0]?.waitsFor).toBe(overlap ? undefined : 'backward');
    expect(times.at(-1)?.waitsFor).toBe('queue');
  });
});

describe('the cap', () => {
  test('has stops from below 0.5 KiB to 25 MiB and the default, each larger than the last', () => {
    const sizes = CAP_STOPS.slice(0, -1).map((stop) => must(stop, 'a stop'));
    expect(sizes).toContain(0.5 / 1024);
    expect(sizes.at(-1)).toBe(25);
    expect(CAP_STOPS.at(-1)).toBeUndefined();
    sizes.slice(1).forEach((size, i) => {
      expect(size).toBeGreaterThan(sizes[i] ?? 0);
    });
    sizes.forEach((size, i) => {
      expect(stopOf(size)).toBe(i);
    });
    expect(stopOf(undefined)).toBe(CAP_STOPS.length - 1);
    expect([capText(0.5 / 1024), capText(1.5), capText(undefined)]).toEqual(['0.5 KiB', '1.5 MiB', 'default']);
  });
});

test('the map gives each parameter a line inside its bucket', () => {
  const { boxes, names } = columnOf([
    { bytes: 8, parameters: ['a', 'b'] },
    { bytes: 4, parameters: ['c'] },
  ]);
  for (const { bucket, y } of names) {
    const box = must(boxes[bucket], 'a box');
    expect(y).toBeGreaterThan(box.y);
    expect(y).toBeLessThan(box.y + box.height);
  }
  expect(must(boxes[1], 'a box').y).toBeGreaterThan(must(boxes[0], 'a box').y + must(boxes[0], 'a box').height);
});
