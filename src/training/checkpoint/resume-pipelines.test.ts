/**
 * A pipeline with dropout on every stage stops and goes on to the bit: each rank's generator is in the checkpoint, so
 * the masks after it are those of the run that did not stop. Every schedule, with and without replicas, in the middle
 * of an epoch and at its end.
 *
 * @module-tag rest: checkpoint.test.ts and resume.test.ts stop and resume pipelines.
 */
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import { stagesPerRankOf } from '../../schedules/schedule';
import { SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';

const RANKS = 2;

function pipeline(schedule: (typeof SCHEDULE_NAMES)[number], replicas: number, dropout = 0.25): ConfigInput {
  const stages = RANKS * stagesPerRankOf(schedule, undefined);
  const width = (stage: number): number => (stage === 0 ? 2 : 4);
  return {
    device: 'cpu',
    mode: 'pipeline',
    worldSize: RANKS * replicas,
    mesh: { pp: RANKS, dp: replicas },
    model: {
      layers: Array.from({ length: stages }, (_, stage) => [
        { type: 'Linear' as const, in: width(stage), out: stage === stages - 1 ? 1 : 4 },
        { type: 'Tanh' as const },
        { type: 'Dropout' as const, p: dropout },
      ]).flat(),
    },
    pipeline: { schedule, microBatches: 4 },
    data: { type: 'xor', samples: 48, testFraction: 0 },
    batchSize: 8 * replicas,
    dropLast: true,
    optimizer: { type: 'Adam', lr: 0.02 },
    compareSingle: false,
    seed: 5,
  };
}

/** Steps to an epoch: 6 without replicas, 3 with two. */
const STOPS = [1, 3, 6];
const MORE = 4;

describe.each([1, 2])('%d replica(s)', (replicas) => {
  test.each(SCHEDULE_NAMES)('%s', async (schedule) => {
    const config = pipeline(schedule, replicas);
    for (const at of STOPS) {
      const straight = await withTraining(config, {}, async (t) => {
        await t.run(at);
        return { losses: await t.run(MORE), after: await stateOf(t) };
      });
      const resumed = await withTraining({ ...config, resume: 'run' }, await savedAfter(config, at), async (t) => {
        expect(t.blueprint.notices.find(({ id }) => id === 'resumed')?.text).toMatch(SAME_BITS);
        return { losses: await t.run(MORE), after: await stateOf(t) };
      });
      expect(resumed, `stopped after ${at} steps`).toEqual(straight);
    }
  });
});

test('the masks count: with other dropout the steps after the stop have other losses', async () => {
  const lossesOf = (dropout: number) =>
    withTraining(pipeline('1F1B', 1, dropout), {}, async (t) => (await t.run(3)).map(({ loss }) => loss));
  expect(await lossesOf(0.25)).not.toEqual(await lossesOf(0));
});
