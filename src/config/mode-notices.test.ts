/** Settings of one mode that are given to another get one notice that names them. */
import { expect, test } from 'vitest';
import { FACES } from '../parallel/faces';
import { MODES } from '../protocol/config';
import { modeNotices } from './mode-notices';
import { parseConfig } from './parse-config';

const GIVEN = {
  ddp: { join: true, algorithm: 'tree', bucketCapMb: 0.001 },
  parameterServer: { staleness: 3 },
  modelParallel: { split: [3, 2] },
} as const;

test.each(MODES)('mode %s', (mode) => {
  const { layers } = parseConfig({}).model;
  const split = mode === 'modelParallel' ? [3, layers.length - 3] : GIVEN.modelParallel.split;
  const config = parseConfig({ ...GIVEN, mode, worldSize: 2, modelParallel: { split: [...split] } });
  const [notice, ...others] = modeNotices(config, FACES[mode]);
  expect(others).toEqual([]);
  for (const [section, name] of [
    ['ddp', 'ddp.algorithm'],
    ['ddp', 'ddp.join'],
    ['parameterServer', 'parameterServer.staleness'],
    ['modelParallel', 'modelParallel.split'],
  ] as const) {
    if (FACES[mode].sections?.includes(section)) expect(notice?.text).not.toContain(name);
    else expect(notice?.text).toContain(name);
  }
  expect(notice?.text).not.toContain('bucketCapMb');
});

test('nodes with a single device, and resumeBy without a checkpoint', () => {
  const notices = modeNotices(parseConfig({ mode: 'single', nodes: 2, resumeBy: 'rank0' }), FACES.single);
  expect(notices.map(({ id }) => id)).toEqual(['other-mode', 'no-effect-resume-by']);
  expect(notices[0]?.text).toContain('nodes');
  expect(modeNotices(parseConfig({ mode: 'ddp', nodes: 2 }), FACES.ddp)).toEqual([]);
});
