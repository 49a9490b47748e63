/**
 * What a schedule may change and what not, as properties: any legal order of forwards and backwards trains to GPipe's
 * weights, to the bit where every stage sums its micro-batches in the same order; GPipe with equal micro-batches has
 * the bits of one device that accumulates; an order that cannot run is refused before anything runs.
 *
 * @module-tag rest: pipeline.test.ts trains under the schedules of torch.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';

import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { actionsOf } from '../../schedules/actions-of';
import { complaintsOf } from '../../schedules/check-schedule';
import type { Schedule } from '../../schedules/schedule';
import { fromCsv, toCsv } from '../../schedules/schedule-text';
import { randomSchedules } from '../../schedules/testing/random-schedule';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { mergedState } from '../weights/merged-weights';
import { maxAbsDifference } from '../weights/weight-differences';

const STEPS = 3;

async function trained(input: ConfigInput): Promise<ReadonlyMap<string, Float32Array>> {
  const blueprint = createBlueprint(parseConfig({ ...input, device: 'cpu', compareSingle: false }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  try {
    await training.run(STEPS * blueprint.config.accumulate);
    return mergedState(blueprint, await training.weights());
  } finally {
    await training.dispose();
  }
}

/** A layer for every stage, with a normalisation whose two gradients one operator makes. */
const base = (stages: number, batchSize: number): ConfigInput => ({
  model: {
    layers: Array.from({ length: stages }, (_, s) => [
      { type: 'Linear' as const, in: s === 0 ? 2 : 5, out: s === stages - 1 ? 1 : 5 },
      ...(s % 2 === 1 && s < stages - 1 ? [{ type: 'LayerNorm' as const, features: 5 }] : []),
      ...(s < stages - 1 ? [{ type: 'Tanh' as const }] : []),
    ]).flat(),
  },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'xor', samples: 4 * batchSize },
  batchSize,
});

const pipelineOf = (schedule: Schedule, dp: number, split?: number[]): ConfigInput => ({
  mode: 'pipeline',
  mesh: { pp: schedule.ranks, dp },
  pipeline: {
    schedule: 'own',
    actions: toCsv(schedule),
    microBatches: schedule.microBatches,
    ...(split ? { split } : {}),
  },
});

/** One rank after the other would do: GPipe over as many stages, wherever they are. */
const gpipeOver = ({ rankOfStage, ranks, microBatches }: Schedule): Schedule => {
  const all = Array.from({ length: microBatches }, (_, m) => m);
  const rows = Array.from({ length: ranks }, (_, rank) => {
    const own = rankOfStage.flatMap((owner, stage) => (owner === rank ? [stage] : []));
    const forwards = own.flatMap((stage) => all.map((m) => `${stage}F${m}`));
    const backwards = own.toReversed().flatMap((stage) => all.map((m) => `${stage}B${m}`));
    return [...forwards, ...backwards].join(',');
  });
  return fromCsv(rows.join('\n'));
};

/** By stage, its micro-batches in the order in which their weight gradients are added. */
const summed = ({ orders, stages }: Schedule): readonly (readonly number[])[] => {
  const all = orders.flatMap(actionsOf).filter(({ kind }) => kind === 'B' || kind === 'W');
  return Array.from({ length: stages }, (_, s) =>
    all.filter(({ stage }) => stage === s).map(({ microBatch }) => microBatch),
  );
};

/** Such that GPipe over the same stages can run, too: stages of one rank in a loop or a V may wait for each other. */
const schedules = randomSchedules({ ranks: 4, stagesPerRank: 2, microBatches: 5 }).filter(
  (schedule) => complaintsOf(gpipeOver(schedule)).length === 0,
);

test('any legal schedule trains to the weights of GPipe', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      schedules,
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 3 }),
      async (schedule, dp, rows) => {
        const given = base(schedule.stages, dp * schedule.microBatches * rows);
        const own = await trained({ ...given, ...pipelineOf(schedule, dp) });
        const plain = gpipeOver(schedule);
        const expected = await trained({ ...given, ...pipelineOf(plain, dp) });
        const isSameOrder = JSON.stringify(summed(schedule)) === JSON.stringify(summed(plain));
        for (const [name, values] of expected) {
          const found = own.get(name) ?? new Float32Array();
          if (isSameOrder) expect(found, name).toEqual(values);
          else expect(maxAbsDifference(found, values), name).toBeLessThan(2e-6);
        }
      },
    ),
    { numRuns: 25 },
  ),
);

test.each([1, 2, 4, 8])('GPipe with %i equal micro-batches has the bits of one device that accumulates', async (m) => {
  const given = base(4, 16);
  const single = await trained({ ...given, mode: 'single', accumulate: m });
  const gpipe = await trained({
    ...given,
    mode: 'pipeline',
    mesh: { pp: 4 },
    pipeline: { schedule: 'GPipe', microBatches: m },
  });
  for (const [name, values] of single) expect(gpipe.get(name), name).toEqual(values);
});

test('an order that cannot run is refused, with what is missing', () =>
  fc.assert(
    fc.property(randomSchedules({ ranks: 3, microBatches: 3 }), fc.nat(), (schedule, choice) => {
      const rank = choice % schedule.ranks;
      const order = at(schedule.orders, rank);
      const gone = choice % order.length;
      const rows = schedule.orders.map((own, r) => (r === rank ? own.filter((_, i) => i !== gone) : own));
      const actions = toCsv({ ...schedule, orders: rows });
      const left = rows.flatMap((row) => row.flatMap((cell) => actionsOf([cell])));
      fc.pre(left.length > 0 && rows.every((row) => row.length > 0));
      const run = () =>
        createBlueprint(
          parseConfig({
            ...base(schedule.stages, 6),
            mode: 'pipeline',
            mesh: { pp: schedule.ranks },
            pipeline: { schedule: 'own', actions },
          }),
          {},
        );
      // What is left may be a legal schedule of fewer micro-batches or stages.
      if (complaintsOf(fromCsv(actions)).length === 0) return;
      expect(run).toThrow(/\d+[FBIW]\d+/);
    }),
    { numRuns: 60 },
  ));
