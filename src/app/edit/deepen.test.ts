/** Every preset becomes deep enough for the stages that were asked for, and the run opens. */
import { expect, test } from 'vitest';
import type { Config } from '../../protocol/config';
import { openTestSession } from '../../session/testing/open-session';
import { deepened, layersMissing } from './deepen';
import { PAGE_PRESETS, PRESET_NAMES } from './page-presets';

const staged = (config: Config): Config => ({
  ...config,
  mode: 'pipeline',
  worldSize: 4,
  device: 'cpu',
  compareSingle: false,
  dropLast: true,
  batchSize: 16,
  pipeline: { ...config.pipeline, schedule: 'Interleaved1F1B', microBatches: 4 },
});

test.each(PRESET_NAMES.filter((name) => name !== 'deepMlp'))('%s in eight stages', async (name) => {
  const shallow = staged(PAGE_PRESETS[name]);
  await expect(openTestSession(shallow)).rejects.toThrow(/needs 8 layers with weights|needs as many layers/);
  const deep = deepened(shallow, undefined);
  if (!deep) throw new Error('It has no deeper form.');
  expect(layersMissing(deep)).toBe(0);
  const { info, close } = await openTestSession(deep);
  expect(info.memory).toHaveLength(4);
  await close();
});

test('the deep preset has eight stages as it is', () => {
  const config = staged(PAGE_PRESETS.deepMlp);
  expect(layersMissing(config)).toBe(0);
  expect(deepened(config, undefined)).toBeUndefined();
});

test('more stages than a model may have layers are not offered', () => {
  const many = staged(PAGE_PRESETS.mlp);
  expect(
    deepened({ ...many, worldSize: 64, pipeline: { ...many.pipeline, stagesPerRank: 16 } }, undefined),
  ).toBeUndefined();
});
