/** Whatever ran before, the pipeline that the mode is given orders its micro-batches, and each has rows. */
import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { batchSchedule } from '../../data/batch-schedule';
import { type Config, configSchema } from '../../protocol/config';
import { batchNorms, LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { replicasOf } from '../../protocol/mesh-sizes';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import { mlpLayers, PRESETS } from '../../protocol/presets';
import { stagesPerRankOf } from '../../schedules/schedule';
import { pipeline } from './face';
import { fitted } from './face-fit';
import { stagesOfRank } from './face-size';
import { checkBatches } from './settle';
import { scheduleOf } from './stage-graphs';

const before = fc.record({
  preset: fc.constantFrom(...Object.values(PRESETS)),
  worldSize: fc.integer({ min: 1, max: 16 }),
  batchSize: fc.integer({ min: 2, max: 80 }),
  rows: fc.integer({ min: 80, max: 500 }),
  dropLast: fc.boolean(),
  dp: fc.integer({ min: 1, max: 4 }),
  microBatches: fc.integer({ min: 1, max: 64 }),
  schedule: fc.constantFrom(...SCHEDULE_NAMES),
  stagesPerRank: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

const configOf = ({ preset, ...made }: typeof before extends fc.Arbitrary<infer T> ? T : never): Config => {
  const { worldSize, batchSize, dropLast, dp, microBatches, schedule, stagesPerRank } = made;
  const pipeline = { microBatches, schedule, ...(stagesPerRank ? { stagesPerRank } : {}) };
  return v.parse(configSchema, {
    ...preset.config,
    mode: 'pipeline',
    worldSize,
    batchSize,
    dropLast,
    mesh: { dp },
    pipeline,
  });
};

test('a schedule that can be ordered, a layer for each stage, a row for each micro-batch', () => {
  void fc.assert(
    fc.property(before, (made) => {
      const config = parseConfig(fitted(configOf(made), made.rows));
      const { stages } = scheduleOf(config);
      const layers = config.model.layers.filter(({ type }) => LAYERS_WITH_WEIGHTS.has(type)).length;
      expect(stages).toBeLessThanOrEqual(layers);
      const dp = replicasOf(config);
      const rows = Math.ceil(made.rows / dp);
      const batchSize = Math.floor(config.batchSize / dp);
      const length = config.dropLast ? Math.floor(rows / batchSize) : Math.ceil(rows / batchSize);
      const processes = Array.from({ length: dp }, () => ({ rows, batchSize, length }));
      checkBatches(config, batchSchedule(processes, { epochs: 1, hangs: false }));
    }),
  );
});

test('what fits stays as it is', () => {
  void fc.assert(
    fc.property(before, (made) => {
      const once = fitted(configOf(made), made.rows);
      expect(fitted(once, made.rows)).toEqual(once);
    }),
  );
});

test('stages per rank are those of the schedules themselves', () => {
  for (const schedule of SCHEDULE_NAMES)
    for (const stagesPerRank of [undefined, 1, 2, 3]) {
      const { pipeline } = parseConfig({ model: PRESETS.mlp.config.model });
      expect(stagesOfRank({ ...pipeline, schedule, ...(stagesPerRank ? { stagesPerRank } : {}) })).toBe(
        stagesPerRankOf(schedule, stagesPerRank),
      );
    }
});

test('a rank is called by the stages that the schedule gives it', () => {
  for (const schedule of SCHEDULE_NAMES) {
    const layers = mlpLayers([2, ...Array.from({ length: 7 }, () => 4), 1], 'Tanh');
    const config = parseConfig({ mode: 'pipeline', worldSize: 4, model: { layers }, pipeline: { schedule } });
    const { rankOfStage } = scheduleOf(config);
    for (let rank = 0; rank < 4; rank++) {
      const stages = rankOfStage.flatMap((of, stage) => (of === rank ? [stage] : []));
      const words = stages.length === 1 ? `stage ${stages[0]}` : `stages ${stages.join(' and ')}`;
      expect(pipeline.role?.(rank, config).beside).toBe(words);
    }
  }
});

test('a batch with too few rows for batch norm is cut into fewer pieces', () => {
  const config = parseConfig({ ...PRESETS.cnn.config, batchSize: 8, worldSize: 3, pipeline: { schedule: 'GPipe' } });
  expect(batchNorms(config.model.layers)).toBe(2);
  expect(fitted(config).pipeline.microBatches).toBe(4);
});
