/** The defaults that an exported run compares configurations with. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { defaultsOf } from './defaults-of';

test('has the default of a setting that was changed, and nothing for a setting that must be given', () => {
  const config = parseConfig({ mode: 'ddp', seed: 7, data: { type: 'csv', file: 'a.csv' }, ddp: { samplerSeed: 3 } });
  const defaults = defaultsOf(config);
  const { seed, data, ddp } = parseConfig({ mode: 'ddp', data: { type: 'csv', file: 'a.csv' } });
  expect(defaults).toMatchObject({ seed, ddp });
  const { file: _, ...rest } = data as typeof data & { readonly file: string };
  expect(defaults['data']).toMatchObject({ ...rest, type: 'spiral' });
  expect(defaults['data']).not.toHaveProperty('file');
});

test('completes a configuration that leaves out every default', () => {
  const config = parseConfig({ mode: 'sharded', sharded: { stage: 2 } });
  expect(defaultsOf(config)).toMatchObject({ sharded: { stage: 3, cpuOffload: false }, mesh: {} });
});
