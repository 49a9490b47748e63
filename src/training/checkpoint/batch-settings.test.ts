/** checkpoint_files.py lists the settings that decide the rows of a batch, as this folder and the modes do. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { PARALLEL_MODES } from '../../parallel/modes';
import { MODES } from '../../protocol/config';
import { loadParts } from '../load-parts';
import { OF_BATCHES } from './config-changes';

const python = readFileSync(new URL('../../interop/export/python/checkpoint_files.py', import.meta.url), 'utf8');

const namesIn = (text: string): readonly string[] => [...text.matchAll(/'([^']+)'/g)].map(([, name]) => name ?? '');
const tuple = (name: string): readonly string[] => namesIn(must(python.split(`\n${name} = (`)[1]?.split(')')[0], name));

test('of every mode', () => {
  expect(new Set(tuple('OF_BATCHES'))).toEqual(OF_BATCHES);
});

test.each(MODES)('of mode %s', async (mode) => {
  const config = parseConfig({ mode, ...(mode === 'sharded' ? { mesh: { dpShard: 4 } } : {}) });
  await loadParts(config);
  const table = must(python.split('\nOF_SAMPLERS = {')[1]?.split('}')[0], 'OF_SAMPLERS');
  const listed = new RegExp(`'${mode}': (\\w+)`).exec(table)?.[1];
  const { settings = [] } = PARALLEL_MODES[mode].facets(config).batches;
  expect(listed === undefined ? [] : tuple(listed)).toEqual(settings);
});
