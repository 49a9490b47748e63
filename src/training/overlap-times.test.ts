/** The two times of the bucket view are those of the Programs that the two settings run. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { must } from '../base/invariant';
import { type ConfigInput, configSchema, type HardwareId } from '../protocol/config';
import { kindLabel } from '../protocol/step-kind';
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

test.each([
  [{}, ['full']],
  // The micro-batch before the last reduces nothing, and is a part of the step.
  [{ accumulate: 2 }, ['full-set', 'full']],
] as const)('with overlap and without, on every machine %o', (more, names) => {
  const stepUs = (overlap: boolean, hardware: HardwareId): number => {
    const { programs } = blueprint({ overlap }, more);
    const step = names.map((name) =>
      must(
        programs.find(({ kind }) => `${kindLabel(kind)}` === name),
        name,
      ),
    );
    return step.reduce((us, program) => us + modelledStep(program, HARDWARE[hardware]).stepUs, 0);
  };
  for (const overlap of [true, false])
    for (const { hardware, withOverlapUs, withoutOverlapUs } of overlapTimes(blueprint({ overlap }, more))) {
      expect(withOverlapUs).toBe(stepUs(true, hardware));
      expect(withoutOverlapUs).toBe(stepUs(false, hardware));
    }
});

test('if links are slow compared with the kernels, overlap saves time; with one bucket nothing overlaps', () => {
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
