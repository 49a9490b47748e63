/** Buckets as rooms show them, both when gradients are packed and when .grad is a view of its bucket. */
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { openTestSession } from '../../session/testing/open-session';
import { parametersIn, placeBuckets } from './bucket-places';
import { exchangesOf } from './exchanges';

test.each([false, true])('every byte of every bucket has a row, the same in all rooms; as views: %s', async (views) => {
  const session = await openTestSession({
    mode: 'ddp',
    worldSize: 4,
    ddp: { bucketCapMb: 0.0003, gradientAsBucketView: views },
    device: 'cpu',
    compareSingle: false,
  });
  await session.api.traceStep();
  const trace = await session.api.traceStep();
  await session.close();
  const { info } = session;
  const buckets = placeBuckets(info, trace);
  const told = must(info.buckets, 'buckets');
  const rebuilt = must(told.rebuilt ?? told.initial, 'buckets');
  expect(buckets.map(({ index }) => index).sort()).toEqual(rebuilt.map((_, i) => i));
  const exchanges = exchangesOf(info, trace, buckets);
  for (const bucket of buckets) {
    const { bytes, parameters } = at(rebuilt, bucket.index);
    expect(4 * bucket.chunks.reduce((sum, { length }) => sum + length, 0)).toBe(bytes);
    expect([...new Set(bucket.chunks.flatMap((slice) => parametersIn(bucket, slice)))]).toEqual(parameters);
    const { rows, payload } = must(exchanges.ofBucket(bucket.index), 'an exchange');
    expect(payload).toBe('gradient');
    for (const own of rows) expect(own).toEqual(bucket.chunks);
  }
});
