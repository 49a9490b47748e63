/** A link that names a mode gives the same run as the mode's button, and parsing a printed link gives the same run. */
import { describe, expect, it } from 'vitest';
import { place } from '../../../scripts/tier';
import { FACES } from '../../parallel/faces';
import { openTestSession } from '../../session/testing/open-session';
import { layersMissing } from '../edit/deepen';
import { withMode, withSettings } from '../edit/edit-config';
import { switchMode } from '../edit/mode-changes';
import { PAGE_PRESETS, PRESET_NAMES } from '../edit/page-presets';
import { trainRowsOf } from '../model/data-rows';
import { same } from '../model/families';
import { parsePermalink } from './permalink';
import { DEFAULT_VIEW } from './permalink-view';
import { printPermalink } from './print-permalink';

const MODES = Object.values(FACES).map(({ name }) => name);

describe.each(PRESET_NAMES)('preset %s', (preset) => {
  it.each(MODES)('a link to the mode %s sets what its button sets', (mode) => {
    const start = PAGE_PRESETS[preset];
    const pressed = switchMode(start, mode, { changes: [], rows: trainRowsOf(start.data) }).config;
    const link = parsePermalink(`preset=${preset}&mode=${mode}`);
    expect(link.config).toEqual(pressed);
    expect(link.notices).toEqual([]);
  });

  it('a pipeline that a link opens gives no warning', async () => {
    const { config } = parsePermalink(`preset=${preset}&mode=pipeline&device=cpu`);
    const { info, close } = await openTestSession(config);
    expect(info.notices.filter(({ level }) => level !== 'info')).toEqual([]);
    await close();
  });
});

it('for generated data the rows of an epoch are known, and equal those of the session', async () => {
  const { data } = PAGE_PRESETS.mlp;
  const { info, close } = await openTestSession({ ...PAGE_PRESETS.mlp, device: 'cpu' });
  expect(trainRowsOf(data)).toBe(info.dataset.rows - info.dataset.testRows);
  expect(trainRowsOf(PAGE_PRESETS.gpt.data)).toBeUndefined();
  await close();
});

it.each([
  ['mode=pipeline&dropLast=0', { dropLast: false }],
  ['mode=pipeline&microBatches=4', { dropLast: true, pipeline: { microBatches: 4 } }],
  ['mode=pipeline&pp=2', { worldSize: 2, mesh: { pp: 2 } }],
  ['preset=wideMlp&mode=mp', { worldSize: 2 }],
  ['preset=wideMlp&mode=mp&world=2', { worldSize: 2 }],
])('what the link %s says stays', (link, settings) => {
  const { config, notices } = parsePermalink(link);
  expect(config).toMatchObject(settings);
  expect(notices).toEqual([]);
});

describe.each(PRESET_NAMES)('preset %s: a link to a mode and a number of ranks opens that run', (preset) => {
  it.each(MODES.flatMap((mode) => [1, 2, 4, 8, 16].map((world) => [mode, world] as const)))('%s, %i', (mode, world) => {
    const { config, notices } = parsePermalink(`preset=${preset}&mode=${mode}&world=${world}`);
    expect(config).toMatchObject({ mode, worldSize: world, data: PAGE_PRESETS[preset].data });
    expect(layersMissing(config)).toBe(0);
    // A net that differs from the preset's is reported.
    const isPreset = same(config.model, PAGE_PRESETS[preset].model);
    expect(notices.map(({ id }) => id)).toEqual(isPreset ? [] : ['link-deeper']);
    const written = parsePermalink(printPermalink(config, DEFAULT_VIEW, []));
    expect(written.config).toEqual(config);
    expect(written.notices).toEqual([]);
  });

  it.each(['modelParallel', 'pipeline'])(
    '%s on 16 ranks runs',
    place(
      preset === 'mlp'
        ? {}
        : { rest: 'the preset MLP runs on 16 ranks, and all presets have layers for them in the tests before' },
    ),
    async (mode) => {
      const { config } = parsePermalink(`preset=${preset}&mode=${mode}&world=16&device=cpu&compareSingle=0`);
      const { info, close } = await openTestSession(config);
      expect(info.config).toMatchObject({ mode, worldSize: 16 });
      await close();
    },
  );
});

it('a link that names its layers keeps them, even if they are too few', () => {
  const { config, notices } = parsePermalink('mode=pipeline&world=8&layers=2-8-8-8-1');
  expect(config.model).toEqual(PAGE_PRESETS.mlp.model);
  expect(notices).toEqual([]);
  const written = parsePermalink(printPermalink(config, DEFAULT_VIEW, []));
  expect(written.config).toEqual(config);
});

it('a setting that the button would have changed is written', () => {
  const pipeline = withMode(PAGE_PRESETS.mlp, 'pipeline', 400);
  const short = withSettings(pipeline, [[['dropLast'], false]]) ?? pipeline;
  for (const config of [pipeline, short]) {
    const written = printPermalink(config, DEFAULT_VIEW, []);
    expect(parsePermalink(written).config).toEqual(config);
  }
  expect(printPermalink(short, DEFAULT_VIEW, [])).toContain('dropLast=0');
});
