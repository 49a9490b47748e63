/** Every setting of the schema has a field with its title and its description, or a reason why it has none. */
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { lookup } from '../../base/lookup';
import { type Config, configSchema, type LeafLayer } from '../../protocol/config';
import { wordsOf } from '../../protocol/words/words-of';
import { freshLayer } from '../edit/edit-layers';
import { SCHEDULES } from '../edit/schedules';
import { FailuresPanel } from '../failures/failures-panel';
import { LaunchPanel } from '../launch/launch-panel';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { AppContexts, type AppServices } from '../run/app-contexts';
import { createAppStore } from '../state/store';
import { ClusterPanel } from './cluster-panel';
import { DataPanel } from './data-panel';
import { DdpPanel } from './ddp-panel';
import { HardwarePanel } from './hardware-panel';
import { LayerFields } from './layer-fields';
import { MeshPanel } from './mesh/mesh-panel';
import { ScheduleFields } from './mesh/schedule-fields';
import { ShardingPanel } from './sharding/sharding-panel';
import { EVERY_SETTING } from './testing/every-setting';
import { IN_A_LIST, LAYER_WITHOUT_FIELD, WITHOUT_FIELD } from './testing/without-field';
import { TrainingPanel } from './training-panel';

/** Values for fields of a variant that have no default. */
const NEEDED: Readonly<Record<string, object>> = {
  csv: { file: 'a.csv' },
  npy: { inputs: 'a.npy', targets: 'b.npy' },
  idx: { images: 'a', labels: 'b' },
  OneCycleLR: { maxLr: 1 },
  CyclicLR: { baseLr: 0.1, maxLr: 1 },
};

function settingsWith(place: string): object {
  const [part = '', variant = '', inner = ''] = place.split('.');
  const type = { type: variant, ...lookup(NEEDED, variant) };
  switch (part) {
    case 'clipGradNormType':
      return { clipGradNorm: 1 };
    case 'data':
    case 'loss':
    case 'optimizer':
      return variant === '' ? {} : { [part]: type };
    case 'scheduler':
      return variant === '' ? {} : { scheduler: { ...lookup(SCHEDULES, variant), ...type } };
    case 'mesh':
      return { mode: variant === 'dpShard' ? 'sharded' : 'pipeline' };
    case 'gradScaler':
      return { gradScaler: { enabled: true } };
    case 'sharded':
      return { mode: 'sharded', accumulate: 2, sharded: { paramDtype: 'bfloat16' } };
    case 'pipeline':
      return { mode: 'pipeline' };
    case 'parameterServer':
      return { mode: 'parameterServer' };
    case 'ddp':
      return variant === 'commHook' && place !== 'ddp.commHook' ? { ddp: { commHook: { type: inner } } } : {};
    case 'model':
      return isLayer(place) ? { model: { layers: [freshLayer(inner as LeafLayer['type'])] } } : {};
    default:
      return {};
  }
}

const isLayer = (place: string): boolean => place.startsWith('model.layers.');

const colours = new Proxy({}, { get: () => ['#000'] });

function drawn(config: Config, content: ReactNode): string {
  const store = createAppStore(config, DEFAULT_VIEW);
  const services = { store, controller: {}, frames: {}, urlSync: {} } as unknown as AppServices;
  return renderToStaticMarkup(
    <AppContexts services={services} palette={colours as never}>
      {content}
    </AppContexts>,
  );
}

const PANELS = (
  <>
    <DataPanel />
    <TrainingPanel />
    <ClusterPanel />
    <MeshPanel />
    <ScheduleFields />
    <ShardingPanel />
    <DdpPanel />
    <LaunchPanel />
    <HardwarePanel />
    <FailuresPanel />
  </>
);
const layerFields = ({ model }: Config) => (
  <LayerFields
    layer={model.layers[0] ?? freshLayer('ReLU')}
    index={0}
    row={undefined}
    apply={() => undefined}
    before={undefined}
    canRemove={false}
  />
);

function reasonOf(place: string): string | undefined {
  const names = place.split('.');
  if (isLayer(place)) {
    return lookup(LAYER_WITHOUT_FIELD, names.slice(-2).join('.')) ?? lookup(LAYER_WITHOUT_FIELD, names.at(-1) ?? '');
  }
  const list = Object.keys(IN_A_LIST).find((path) => place.startsWith(`${path}.`));
  return list === undefined ? lookup(WITHOUT_FIELD, place) : lookup(IN_A_LIST, list);
}

const page = new Map<string, string>();
function markupFor(place: string): string {
  const config = v.parse(configSchema, { mode: 'ddp', ...settingsWith(place) });
  const key = JSON.stringify([isLayer(place), config]);
  const markup = page.get(key) ?? drawn(config, isLayer(place) ? layerFields(config) : PANELS);
  page.set(key, markup);
  return markup;
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');

/** Whether the field exists: a row with the tooltip, containing the label. */
function shows(place: string): boolean {
  const words = wordsOf(place);
  if (!words) return false;
  const [, ...rows] = markupFor(place).split(` title="${escaped(words.description)}"><label for="`);
  return rows.some((row) => row.slice(row.indexOf('>') + 1).startsWith(`${escaped(words.title)}</label>`));
}

it('walks the whole schema', () => {
  expect(EVERY_SETTING.length).toBeGreaterThan(250);
  expect(EVERY_SETTING).toContain('scheduler.OneCycleLR.threePhase');
  expect(EVERY_SETTING).toContain('model.layers.Embedding.paddingIdx');
});

it('shows every setting, except those with a reason to be elsewhere', () => {
  expect(EVERY_SETTING.filter((place) => reasonOf(place) === undefined && !shows(place))).toEqual([]);
});

it('gives no reason for a setting that does not exist, or that has a field', () => {
  expect(Object.keys(WITHOUT_FIELD).filter((place) => !EVERY_SETTING.includes(place))).toEqual([]);
  expect(Object.keys(IN_A_LIST).filter((place) => !EVERY_SETTING.includes(place))).toEqual([]);
  expect(EVERY_SETTING.filter((place) => lookup(WITHOUT_FIELD, place) !== undefined && shows(place))).toEqual([]);
  const layers = EVERY_SETTING.filter(isLayer).map((place) => place.split('.'));
  const names = new Set(layers.flatMap((path) => [path.at(-1), path.slice(-2).join('.')]));
  expect(Object.keys(LAYER_WITHOUT_FIELD).filter((name) => !names.has(name))).toEqual([]);
});

it.each([
  ['clipGradNorm', 'off', 2],
  ['model.layers.Embedding', 'none', 1],
])('an empty field says what holds: %s', (place, words, count) => {
  expect(markupFor(place).split(`placeholder="${words}"`)).toHaveLength(1 + count);
});
