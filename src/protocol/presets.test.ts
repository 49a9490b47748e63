/** Every preset is a valid configuration whose model fits its data. */
import { expect, test } from 'vitest';
import { PRESETS } from './presets';
import { configSchema } from './config';
import * as v from 'valibot';

test.each(Object.entries(PRESETS))('%s is valid', (_, { config }) => {
  expect(v.safeParse(configSchema, config).success).toBe(true);
});
