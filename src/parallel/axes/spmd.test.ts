/** The axes of a run's mesh choose the facets: one preset may have several, and two presets may share one. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import type { ModeFacets } from '../facets/mode-facets';
import { PARALLEL_MODES } from '../modes';
import { cuts } from './cuts';
import { replicas } from './replicas';
import { shards } from './shards';
import { stages } from './stages';
import { zero } from './zero';

const facetsOf = (input: ConfigInput): ModeFacets => {
  const config = parseConfig(input);
  return PARALLEL_MODES[config.mode].facets(config);
};

test.each<[string, ConfigInput, ModeFacets]>([
  ['replicas', { mode: 'ddp', worldSize: 4 }, replicas],
  ['one rank, still with a sampler of its own', { mode: 'ddp', worldSize: 1 }, replicas],
  ['stages', { mode: 'pipeline', worldSize: 2 }, stages],
  ['stages of shards', { mesh: { pp: 2, dpShard: 2 } }, stages],
  ['stages of cut layers', { mesh: { pp: 2, tp: 2 } }, stages],
  ['shards', { mode: 'sharded', worldSize: 2 }, shards],
  ['shards of cut layers', { mode: 'sharded', mesh: { dpShard: 2, tp: 2 } }, shards],
  ['cut layers', { mode: 'tensor', worldSize: 2 }, cuts],
  ['cut layers with replicas', { mode: 'tensor', mesh: { dpReplicate: 2, tp: 2 } }, cuts],
  ['cut layers with shards', { mode: 'tensor', mesh: { dpShard: 2, tp: 2 } }, shards],
  [
    'cut layers, and dpShard shards nothing',
    { mode: 'tensor', mesh: { dpShard: 2, tp: 2 }, sharded: { stage: 0 } },
    cuts,
  ],
  ['whole parameters', { mode: 'sharded', worldSize: 2, sharded: { stage: 0 } }, zero],
  ['shards of optimiser states', { mode: 'sharded', worldSize: 2, sharded: { stage: 1 } }, zero],
])('%s', (_, input, facets) => {
  expect(facetsOf(input)).toBe(facets);
});

test('DDP ignores the other axes of a mesh, for example in a configuration that had another mode before', () => {
  const config = parseConfig({ mode: 'ddp', worldSize: 4, mesh: { dpShard: 2, tp: 2 } });
  expect(PARALLEL_MODES.ddp.facets(config)).toBe(replicas);
  expect(PARALLEL_MODES.ddp.mesh(config).shape).toMatchObject({ dpReplicate: 4, dpShard: 1, tp: 1 });
});

test.each<[string, ConfigInput, boolean]>([
  ['stages alone', { mode: 'pipeline', worldSize: 2 }, false],
  ['replicas of stages', { mesh: { pp: 2, dpReplicate: 2 } }, true],
  ['shards of stages', { mesh: { pp: 2, dpShard: 2 } }, true],
  ['tensor groups of stages', { mesh: { pp: 2, tp: 2 } }, true],
  ['a tensor group', { mesh: { tp: 2 } }, true],
  ['replicas', { mode: 'ddp', worldSize: 2 }, true],
])('the process group of %s: an algorithm if a group all-reduces', (_, input, reduces) => {
  const given: ConfigInput = { ...input, ddp: { algorithm: 'tree' } };
  const group = facetsOf(given).processes.group?.(parseConfig(given));
  expect(group).toEqual(reduces ? { algorithm: 'tree' } : {});
});
