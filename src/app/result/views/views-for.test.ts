import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../../protocol/config';
import { PRESETS } from '../../../protocol/presets';
import type { DatasetPreview } from '../../../protocol/session-info';
import { hasField, viewsFor } from './views-for';

const DATASET: DatasetPreview = {
  task: 'classification',
  rows: 10,
  testRows: 2,
  inputs: 2,
  outputs: 1,
  kind: 'points',
  inputShape: [2],
  classNames: ['0', '1'],
  vocabulary: [],
  images: [],
  sequences: [],
  points: [],
};
const IMAGES: Partial<DatasetPreview> = { kind: 'image', inputShape: [1, 28, 28] };

const views = (config: ConfigInput, dataset: Partial<DatasetPreview>, shapes: readonly (readonly number[])[] = []) =>
  viewsFor({
    config: v.parse(configSchema, config),
    dataset: { ...DATASET, ...dataset },
    parameters: shapes.map((shape, i) => ({ name: `${i}.weight`, shape })),
  });

test('points have their field and nothing else, unless there are more than two classes', () => {
  expect(hasField({ ...DATASET, points: [[0, 0, 1, 0]] })).toBe(true);
  expect(views(PRESETS.mlp.config, {})).toEqual([]);
  expect(views(PRESETS.mlp.config, { classNames: ['a', 'b', 'c'] })).toEqual(['confusion']);
});

test('images are drawn, counted and looked at; convolutions show their filters', () => {
  expect(views(PRESETS.cnn.config, IMAGES, [[8, 1, 3, 3], [8]])).toEqual(['draw', 'confusion', 'mistakes', 'filters']);
  expect(views(PRESETS.cnn.config, IMAGES)).toEqual(['draw', 'confusion', 'mistakes']);
});

test('random prototypes have no drawing pad', () => {
  const data = { type: 'prototypes', size: 28 } as const;
  expect(views({ ...PRESETS.cnn.config, data }, IMAGES)).toEqual(['confusion', 'mistakes']);
});

test('text is written, sequences are answered, attention is shown where there is some', () => {
  const tokens: Partial<DatasetPreview> = { kind: 'tokens', classNames: [], vocabulary: ['a', 'b'] };
  expect(views(PRESETS.gpt.config, tokens)).toEqual(['text', 'attention']);
  expect(views({ ...PRESETS.gpt.config, data: { type: 'sequence' } }, tokens)).toEqual(['answers', 'attention']);
});

test('a regression has neither classes nor a field of them', () => {
  const config: ConfigInput = { ...PRESETS.cnn.config, data: { type: 'npy', inputs: 'x', targets: 'y' } };
  expect(views(config, { ...IMAGES, task: 'regression', classNames: [] })).toEqual([]);
  expect(hasField({ ...DATASET, task: 'regression' })).toBe(true);
});
