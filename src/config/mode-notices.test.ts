/** Settings of one mode that are given to another get one notice that names them. */
import { expect, test } from 'vitest';
import { FACES } from '../parallel/faces';
import { type Config, type ConfigInput, MODES } from '../protocol/config';
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

test.each<[ConfigInput, Config['mode'], string]>([
  [{ mesh: { pp: 2 } }, 'ddp', 'Used in: pipeline.'],
  [{ mesh: { tp: 2 } }, 'ddp', 'Used in: pipeline, sharded, tensor.'],
  [{ mesh: { pp: 2, tp: 2 } }, 'ddp', 'mesh.pp: used in pipeline. mesh.tp: used in pipeline, sharded, tensor.'],
  [{ mesh: { dpReplicate: 4 } }, 'parameterServer', 'Used in: ddp, pipeline, sharded, tensor.'],
  [{ ddp: { join: true } }, 'single', 'Used in: ddp (the modes pipeline, sharded, tensor use some of DDP’s settings).'],
  [{ parameterServer: { staleness: 3 } }, 'ddp', 'Used in: parameterServer.'],
  [{ nodes: 2 }, 'single', `Used in: ${MODES.filter((mode) => mode !== 'single').join(', ')}.`],
])('%j in mode %s: the hint names all modes that use the setting', (input, mode, hint) => {
  const [notice] = modeNotices(parseConfig({ ...input, mode, worldSize: 2 }), FACES[mode]);
  expect(notice?.hint).toBe(hint);
});

test('nodes with a single device, and resumeBy without a checkpoint', () => {
  const notices = modeNotices(parseConfig({ mode: 'single', nodes: 2, resumeBy: 'rank0' }), FACES.single);
  expect(notices.map(({ id }) => id)).toEqual(['other-mode', 'no-effect-resume-by']);
  expect(notices[0]?.text).toContain('nodes');
  expect(modeNotices(parseConfig({ mode: 'ddp', nodes: 2 }), FACES.ddp)).toEqual([]);
});
