/** Each kind of a run's steps is made once, however long the run is, and is the one that kindAt gives. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../config/parse-config';
import { batchSchedule } from '../data/batch-schedule';
import type { ConfigInput } from '../protocol/config';
import { programKey } from '../protocol/step-kind';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';
import { RunKinds } from './run-kinds';
import { type KindRules, kindAt } from './step-kinds';

vi.mock('../protocol/step-kind', async (original) => {
  const real = await original<typeof import('../protocol/step-kind')>();
  return { ...real, programKey: vi.fn(real.programKey) };
});

const anyRun = fc.record({
  rows: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }),
  epochs: fc.integer({ min: 1, max: 2 }),
  accumulate: fc.integer({ min: 1, max: 9 }),
  joins: fc.boolean(),
  policy: fc.option(
    fc.record({ reducesEveryPass: fc.boolean(), passesBeforeRebuild: fc.integer({ min: 0, max: 2 }) }),
    {
      nil: undefined,
    },
  ),
  startsAt: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
});

test('the kinds are those of kindAt, and no more are made later in the run', () => {
  void fc.assert(
    fc.property(anyRun, ({ rows, epochs, accumulate, joins, policy, startsAt }) => {
      const processes = rows.map((n) => ({ rows: n, batchSize: 4, length: Math.ceil(n / 4) }));
      const schedule = batchSchedule(processes, { epochs, hangs: false });
      const phases = startsAt === undefined ? undefined : hookFrom(startsAt);
      const rules: KindRules = { accumulate, joins, policy, phases };
      const kinds = new RunKinds(schedule, rules);
      // All places in a group and a period, after whatever is of the first steps alone.
      const settled = 10 * accumulate + schedule.period * accumulate;
      const seen = new Set<unknown>();
      const check = (microBatch: number): void => {
        for (const count of new Set([1, kinds.togetherAt(microBatch)])) {
          const { kind, key } = kinds.at(microBatch, count);
          expect(kind).toEqual(kindAt(microBatch, schedule, rules, count));
          expect(key).toBe(programKey(kind));
          seen.add(kind);
        }
      };
      for (let microBatch = 0; microBatch < settled; microBatch++) check(microBatch);
      const made = seen.size;
      for (let microBatch = settled; microBatch < 2 * settled; microBatch++) check(microBatch);
      expect(seen.size).toBe(made);
    }),
    { numRuns: 60 },
  );
});

const hookFrom = (step: number): KindRules['phases'] => ({
  names: ['plain', 'average'],
  at: (own) => (own < step ? 'plain' : 'average'),
});

const runs: readonly (readonly [name: string, config: ConfigInput])[] = [
  ['single', { mode: 'single' }],
  ['ddp beside its reference', { mode: 'ddp' }],
  ['ddp, accumulate 3', { mode: 'ddp', accumulate: 3 }],
  ['ddp in workers', { mode: 'ddp', placement: 'workers' }],
  ['ddp, local SGD', { mode: 'ddp', ddp: { commHook: { type: 'localSGD', startLocalSGDIter: 1, period: 2 } } }],
  ['dataParallel', { mode: 'dataParallel' }],
];

describe('a step makes no key', () => {
  test.each(runs)('%s', async (_name, config) => {
    const data = { type: 'xor', samples: 90, testFraction: 0 } as const;
    const layers = [{ type: 'Linear', in: 2, out: 1 }] as const;
    const own = parseConfig({ device: 'cpu', worldSize: 2, batchSize: 24, data, model: { layers }, ...config });
    const training = await createTraining(createBlueprint(own, {}), {
      keeper: new DeviceKeeper(undefined, false),
      gpu: undefined,
    });
    try {
      await training.run(60);
      vi.mocked(programKey).mockClear();
      await training.run(120);
      expect(programKey).not.toHaveBeenCalled();
    } finally {
      await training.dispose();
    }
  });
});
