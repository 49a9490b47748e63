/**
 * Every preset builds, and its model is as wide as its data asks for: no class that cannot occur, no token without a
 * row.
 */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import { PRESETS } from '../protocol/presets';
import { createBlueprint } from './blueprint';

test.each(Object.entries(PRESETS))('%s', (_, { config }) => {
  const { dataset, parameters } = createBlueprint(parseConfig(config), {});
  const outputs = parameters.at(-1)?.shape[0];
  if (dataset.kind === 'tokens') expect(outputs).toBe(dataset.vocabulary?.length);
  else expect(outputs).toBe(dataset.targetShape.length === 0 ? dataset.classes : dataset.targetShape[0]);
});
