/**
 * Links keep their meaning: each of fixtures/old-links.json still gives the configuration and the view that it gave
 * when it was recorded. A new link is a new line `{"link": "#..."}`; LOCKSTEP_RECORD_LINKS=1 records what it means. A
 * recorded meaning is never recorded again, because other people have these links.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { underNewNames } from '../../config/testing/renamed-settings';
import { dataSchema, MODES } from '../../protocol/config';
import { OPTIMIZER_TYPES } from '../../protocol/config/optimizer';
import { PRESET_NAMES } from '../edit/page-presets';
import { NO_STATE, printState, STATE_KEYS } from './link-state';
import { parsePermalink } from './permalink';
import { PLAIN_KEYS, PRESET_KEY, SEED_KEY, VARIANT_KEYS } from './permalink-keys';
import { NET_KEYS } from './permalink-model';
import { VIEW_KEYS } from './permalink-view';

interface OldLink {
  readonly link: string;
  readonly config?: unknown;
  /**
   * Settings that the link does not name and that the button of its mode sets, because a link does the same as the
   * button.
   */
  readonly since?: object;
  readonly view?: unknown;
  /** The pairs that the link's reader did not understand. */
  readonly kept?: unknown;
  /** The place in the run to which the link leads; not recorded for links older than this feature. */
  readonly state?: unknown;
}

const file = new URL('./fixtures/old-links.json', import.meta.url);
const links = JSON.parse(readFileSync(file, 'utf8')) as readonly OldLink[];

function meaningOf(link: string): OldLink {
  const { config, view, kept, state } = parsePermalink(link);
  // Compared in the text of links, which must not change; the page's own numbers of paces may.
  const [[, pace] = []] = printState({ ...NO_STATE, pace: state.pace });
  const plainView = { ...view, hide: [...view.hide], lock: [...view.lock] };
  return JSON.parse(
    JSON.stringify({ link, config, view: plainView, kept, state: { ...state, pace, shown: [...state.shown] } }),
  ) as OldLink;
}

if (process.env['LOCKSTEP_RECORD_LINKS'] !== undefined) {
  test('recorded: what new links mean', () => {
    const rows = links.map((old) => JSON.stringify(old.config === undefined ? meaningOf(old.link) : old));
    writeFileSync(file, `[\n${rows.join(',\n')}\n]\n`);
  });
} else {
  test.each(links)('$link', (old) => {
    const now = meaningOf(old.link);
    // Settings added later have their defaults, at any depth; older settings are unchanged.
    const meant = { ...(old.config as object), ...old.since };
    expect(now.config).toEqual(parseConfig(meant));
    expect(now.config).toMatchObject(underNewNames(meant));
    expect(now.view).toMatchObject(old.view as object);
    expect(now.kept).toEqual(old.kept);
    if (old.state !== undefined) expect(now.state).toMatchObject(old.state as object);
  });
}

const pairs = links.flatMap(({ link }) =>
  link
    .slice(1)
    .split('&')
    .map((pair) => /^([^=]*)=?(.*)$/s.exec(pair)?.slice(1) ?? []),
);
const given = new Set(pairs.map(([key]) => key));

test('every key and every other spelling of one is in a link', () => {
  const rows = [...Object.values(VARIANT_KEYS), SEED_KEY, ...PLAIN_KEYS];
  const spellings = [
    ...rows.flatMap(({ key, aliases }) => [key, ...aliases]),
    ...NET_KEYS,
    ...VIEW_KEYS,
    ...STATE_KEYS,
    PRESET_KEY,
  ];
  expect(spellings.filter((key) => !given.has(key))).toEqual([]);
});

test('every mode, optimiser, loss, data set, layer and preset is in a link', () => {
  const recorded = links.map(({ config = {} }) => JSON.stringify(config));
  const types = [
    ...OPTIMIZER_TYPES,
    ...['MSELoss', 'CrossEntropyLoss', 'BCEWithLogitsLoss', 'L1Loss', 'SmoothL1Loss', 'HuberLoss', 'NLLLoss'],
    ...dataSchema.options.map(({ entries }) => entries.type.literal),
    ...['Linear', 'ReLU', 'Tanh', 'Sigmoid', 'GELU', 'LeakyReLU', 'ELU', 'SiLU', 'Softplus', 'Softmax', 'LogSoftmax'],
    ...['Dropout', 'Flatten', 'Conv2d', 'MaxPool2d', 'AvgPool2d', 'AdaptiveAvgPool2d', 'BatchNorm1d', 'BatchNorm2d'],
    ...['LayerNorm', 'GroupNorm', 'Embedding', 'TokenEmbedding', 'MultiheadAttention', 'TransformerBlock'],
    ...['Residual', 'Unused'],
  ].map((type) => `"type":"${type}"`);
  const wanted = [...types, ...MODES.map((mode) => `"mode":"${mode}"`)];
  expect(wanted.filter((text) => !recorded.some((config) => config.includes(text)))).toEqual([]);
  const presets = pairs.filter(([key]) => key === PRESET_KEY).map(([, name]) => name?.toLowerCase());
  expect(PRESET_NAMES.filter((name) => !presets.includes(name.toLowerCase()))).toEqual([]);
});
