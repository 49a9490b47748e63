/** Every preset is a valid configuration whose model fits its data. */

import * as v from 'valibot';
import { expect, test } from 'vitest';
import { configSchema } from './config';
import { PRESETS } from './presets';

test.each(Object.entries(PRESETS))('%s is valid', (_, { config }) => {
  expect(v.safeParse(configSchema, config).success).toBe(true);
});
