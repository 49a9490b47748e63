/** The large presets are valid, and are the models that they are named after. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parameterList } from '../nn/model';
import { parameterCount } from '../shapes/parameters';
import { configSchema } from './config';
import { LARGE_PRESETS } from './large-presets';

const config = v.parse(configSchema, LARGE_PRESETS.gpt2.config);

test('GPT-2 small has the parameters of its checkpoint', () => {
  const { layers } = config.model;
  expect(layers.reduce((sum, layer) => sum + parameterCount(layer), 0)).toBe(124_439_808);
  const shapes = new Map(parameterList(layers).map(({ name, shape }) => [name, shape]));
  expect([shapes.size, shapes.get('tok.weight'), shapes.get('pos.weight')]).toEqual([
    2 + 12 * 12 + 2,
    [50_257, 768],
    [1024, 768],
  ]);
  expect(
    ['ln1.weight', 'qkv.weight', 'qkv.bias', 'proj.weight', 'fc1.weight', 'fc2.weight'].map((name) =>
      shapes.get(`blocks.11.${name}`),
    ),
  ).toEqual([[768], [2304, 768], [2304], [768, 768], [3072, 768], [768, 3072]]);
  // The head is the token embedding's weight once more.
  expect(shapes.has('head.weight')).toBe(false);
});
