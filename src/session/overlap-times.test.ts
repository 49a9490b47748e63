/** The two times of the bucket view are those of the Programs that the two settings run. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { type ConfigInput, configSchema } from '../protocol/config';
import { HARDWARE } from '../simulator/hardware';
import { modelledStep } from '../simulator/simulate';
import { createBlueprint } from './blueprint';
import { overlapTimes } from './overlap-times';

const blueprint = (ddp: ConfigInput['ddp'], more: ConfigInput = {}) =>
  createBlueprint(
    v.parse(configSchema, {
      mode: 'ddp',
      worldSize: 3,
      batchSize: 12,
      data: { type: 'xor', samples: 96, testFraction: 0 },
      ddp: { bucketCapMb: 0.25 / 1024, ...ddp },
      ...more,
    }),
    {},
  );

test.each([{}, { accumulate: 2 }])('with overlap and without, on every machine %o', (more) => {
  const [together, apart] = [true, false].map((overlap) => at(blueprint({ overlap }, more).programs, 0));
  for (const overlap of [true, false])
    for (const { hardware, withOverlapUs, withoutOverlapUs } of overlapTimes(blueprint({ overlap }, more))) {
      expect(withOverlapUs).toBe(together && modelledStep(together, HARDWARE[hardware]).stepUs);
      expect(withoutOverlapUs).toBe(apart && modelledStep(apart, HARDWARE[hardware]).stepUs);
    }
});

test('where links are slow beside the kernels, overlap saves time; one bucket leaves nothing to overlap with', () => {
  const saved = (cap: number) => {
    const times = overlapTimes(blueprint({ bucketCapMb: cap }));
    return times.map((t) => t.withoutOverlapUs - t.withOverlapUs);
  };
  expect(Math.min(...saved(0.25 / 1024))).toBeGreaterThan(0);
  expect(Math.max(...saved(25).map(Math.abs))).toBeLessThan(Math.min(...saved(0.25 / 1024)));
});

test('other modes have no buckets', () => {
  expect(overlapTimes(createBlueprint(v.parse(configSchema, { mode: 'single' }), {}))).toEqual([]);
});
