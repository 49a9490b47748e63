/**
 * The permalink: everything that makes a run, in the hash, as readable pairs (`seed=0&mode=ddp&lr=0.03`). Only what
 * differs from the page's defaults is written, the seed always. For a bad value the default applies, with a notice; the
 * bad value stays in the hash, so that no link is rewritten silently. The same holds for unknown keys. Pure:
 * url-sync.ts moves the link to and from the address bar.
 */

import * as v from 'valibot';
import { must } from '../../base/invariant';
import { exhibitConfig } from '../../museum/mistakes';
import { FACES } from '../../parallel/faces';
import { type Config, configSchema } from '../../protocol/config';
import { isBuiltIn } from '../../protocol/config/data';
import { OPTIMIZER_TYPES } from '../../protocol/config/optimizer';
import { meshSizes, openAxis } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { LOSS_TYPES, withMeshDevices, withOptimizer, withSetting, withSettings } from '../edit/edit-config';
import { fitToData, withData } from '../edit/edit-data';
import { OPENING_CONFIG, PAGE_CONFIG } from '../edit/page-config';
import { PAGE_PRESETS, PRESET_NAMES } from '../edit/page-presets';
import { rangeOf, readSetting, type SettingPath } from '../edit/setting-ranges';
import { same } from '../model/families';
import { withLossType } from '../model/fit-model';
import { shownAxes } from '../model/shown-axes';
import { type HashPair, joinHash, splitHash } from './hash-pairs';
import { type LinkState, parseState, printState, STATE_KEYS } from './link-state';
import {
  codecOf,
  type PermalinkKey,
  PLAIN_KEYS,
  PRESET_ALLOWED,
  PRESET_KEY,
  SEED_KEY,
  VARIANT_KEYS,
} from './permalink-keys';
import { asDeepAsAsked, asTheButton, deeperNotice, needsDeeper } from './permalink-mode';
import { NET_KEYS, parseNet, printNet, printWholeNet } from './permalink-model';
import { createLinkNotices } from './permalink-notices';
import { MOST_NESTED, nestsTooDeep } from './permalink-values';
import type { ViewOptions } from './permalink-view';
import { parseView, printView, VIEW_KEYS } from './permalink-view';

export interface Permalink {
  readonly config: Config;
  readonly view: ViewOptions;
  /** The place in the run to which the link leads. */
  readonly state: LinkState;
  /** Pairs that were not understood; they are written into the hash unchanged. */
  readonly kept: readonly HashPair[];
  readonly notices: readonly Notice[];
}

const fileData = (type: 'csv' | 'npy' | 'idx' | 'png'): Config['data'] => {
  if (type === 'csv') return { type, file: '', header: 'auto', testFraction: 0 };
  if (type === 'npy') return { type, inputs: '', targets: '', testFraction: 0 };
  if (type === 'idx') return { type, images: '', labels: '', testFraction: 0 };
  return { type, size: 28, color: false, testFraction: 0.2 };
};

const optimizerTypes = OPTIMIZER_TYPES as readonly string[];
const isOptimizer = (type: unknown): type is Config['optimizer']['type'] => optimizerTypes.includes(String(type));
const isFile = (type: unknown): type is 'csv' | 'npy' | 'idx' | 'png' =>
  type === 'csv' || type === 'npy' || type === 'idx' || type === 'png';

/** A preset with another kind of data, with which the data's keys are compared. */
function withDataType(start: Config, type: unknown): Config {
  if (type === start.data.type) return start;
  if (isBuiltIn(type)) return withData(start, type);
  return isFile(type) ? { ...start, data: fileData(type) } : start;
}

const codecFor = (config: Config, key: PermalinkKey) => {
  const range = rangeOf(config, key.path);
  return range && { range, codec: key.codec ?? codecOf(range) };
};

const ALL_KEYS: readonly PermalinkKey[] = [...Object.values(VARIANT_KEYS), SEED_KEY, ...PLAIN_KEYS];
/** A name that is a key and also another key's alias means the key. */
const canonical = new Map([
  ...ALL_KEYS.flatMap((row) => row.aliases.map((name) => [name, row.key] as const)),
  ...ALL_KEYS.map((row) => [row.key, row.key] as const),
]);

/** The names of settings in configurations, by their keys in links. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ...ALL_KEYS.map(({ key, path }) => [key, path.join('.')] as const),
  ...NET_KEYS.map((key) => [key, 'model.layers'] as const),
]);

const WORLD_KEY = 'world';

const KNOWN = new Set<string>([
  ...ALL_KEYS.map((row) => row.key),
  ...NET_KEYS,
  ...VIEW_KEYS,
  ...STATE_KEYS,
  PRESET_KEY,
]);

/** The known keys that are given more than once, with their counts. */
function timesGiven(pairs: readonly HashPair[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const [key] of pairs) if (KNOWN.has(key)) times.set(key, (times.get(key) ?? 0) + 1);
  return new Map([...times].filter(([, n]) => n > 1));
}

/** The run of the address bar: that of its link, or, without a hash, the run with which the page opens. */
export const parseAddress = (hash: string): Permalink =>
  hash === '' ? { ...parsePermalink(''), config: OPENING_CONFIG } : parsePermalink(hash);

/** `from`: the run that the keys change if no preset is named; left out: the default run. */
export function parsePermalink(hash: string, from: Config = PAGE_PRESETS.mlp): Permalink {
  const all = splitHash(hash).map(([key, text]): HashPair => [canonical.get(key) ?? key, text]);
  const pairs = new Map(all);
  const notices = createLinkNotices((key) => SETTINGS.get(key));
  const kept: HashPair[] = [];
  const keep = (key: string, text: string, why: string, hint: string) => {
    kept.push([key, text]);
    notices.refuse(key, text, why, hint);
  };
  const bad = (key: string, text: string, allowed: string) =>
    keep(
      key,
      text,
      nestsTooDeep(text) ? `brackets may be nested ${MOST_NESTED} deep` : allowed,
      'The default is used instead; the link keeps its value.',
    );

  const named = pairs.get(PRESET_KEY);
  const preset = PRESET_NAMES.find((name) => name.toLowerCase() === named?.toLowerCase());
  if (named !== undefined && !preset) bad(PRESET_KEY, named, `must be ${PRESET_ALLOWED}`);
  const wanted = (row: PermalinkKey) => row.codec?.parse(pairs.get(row.key) ?? '');
  const view = parseView(pairs, bad);
  const state = parseState(pairs, bad);
  const start = startOf(view) ?? (preset ? PAGE_PRESETS[preset] : from);
  const given = (row: PermalinkKey, is: boolean) => {
    const text = pairs.get(row.key);
    if (text !== undefined && !is) bad(row.key, text, `must be ${row.codec?.allowed({ kind: 'text' })}`);
    return text !== undefined && is;
  };
  const [data, optimizer] = [wanted(VARIANT_KEYS.data), wanted(VARIANT_KEYS.opt)];
  let config = given(VARIANT_KEYS.data, isBuiltIn(data) || isFile(data)) ? withDataType(start, data) : start;
  const readKeys = (rows: readonly PermalinkKey[]): readonly (readonly [SettingPath, unknown])[] => {
    const found = rows.flatMap((row) => readKey(config, row, pairs.get(row.key)));
    const changes = found.flatMap(({ row, value, fits }) => (fits ? [[row.path, value] as const] : []));
    const together = withSettings(config, changes);
    for (const { row, text, value, fits, problem } of found) {
      // Only if all keys together do not fit, each key is tried alone, to find the one that does not fit.
      const edit = together || !fits ? undefined : withSetting(config, row.path, value);
      if (edit?.ok) config = edit.config;
      else if (!fits || edit) bad(row.key, text, problem);
    }
    if (together) config = together;
    return changes.filter(([path, value]) => same(readSetting(config, path), value));
  };
  // The data determine the net's first and last size; the net determines which split fits.
  const ofData = (row: PermalinkKey) => row.path[0] === 'data';
  readKeys(PLAIN_KEYS.filter(ofData));
  config = fitToData(config);
  if (
    given(VARIANT_KEYS.opt, isOptimizer(optimizer)) &&
    isOptimizer(optimizer) &&
    optimizer !== config.optimizer.type
  ) {
    config = withOptimizer(config, optimizer);
  }
  for (const key of NET_KEYS) {
    const text = pairs.get(key);
    if (text === undefined) continue;
    const edit = parseNet(config, key, text);
    if (edit.ok) config = edit.config;
    else bad(key, text, edit.problem);
  }
  const loss = LOSS_TYPES.find((type) => type === wanted(VARIANT_KEYS.loss));
  if (given(VARIANT_KEYS.loss, loss !== undefined) && loss) {
    config = { ...config, loss: withLossType(config.loss, loss) };
  }
  const explicit = readKeys([SEED_KEY, ...PLAIN_KEYS.filter((row) => !ofData(row))]);
  const deeper = NET_KEYS.some((key) => pairs.has(key)) ? undefined : asDeepAsAsked(config, explicit);
  if (deeper) {
    notices.say(deeperNotice(config, deeper));
    config = deeper;
  }
  config = asTheButton(config, start.mode, explicit);
  for (const [key, times] of timesGiven(all)) notices.repeated(key, times, pairs.get(key) ?? '');
  for (const [key, text] of all) {
    if (!KNOWN.has(key)) keep(key, text, 'there is no such setting', 'It is ignored; the link keeps it.');
  }
  const settled = withMeshDevices(config);
  const world = pairs.get(WORLD_KEY);
  if (world !== undefined && settled.worldSize !== config.worldSize) {
    const shape = meshSizes(settled);
    const open = openAxis(settled.mode);
    const axes = shownAxes(FACES[settled.mode].axes ?? [], settled);
    const sizes = axes.map((axis) => [axis === 'dpReplicate' ? 'dp' : axis, shape[axis]] as const);
    const names = sizes.map(([name]) => name).join(' and ');
    const mesh = sizes.map(([name, size]) => `${name} ${size}`).join(' and ');
    const hint = `The run has ${settled.worldSize}. Leave out world or ${open} (mesh.${open}), or make world the product of ${names}.`;
    keep(WORLD_KEY, world, `the mesh of ${mesh} has ${settled.worldSize} ranks`, hint);
  }
  return { config: settled, view, state, kept, notices: notices.all() };
}

/** The value that a link gives for one key. */
interface ReadKey {
  readonly row: PermalinkKey;
  readonly text: string;
  /** Undefined removes an optional setting. */
  readonly value: unknown;
  /** Whether the run has this setting and the text has its form; the schema decides whether the value is allowed. */
  readonly fits: boolean;
  /** The words of a notice if the value does not fit. */
  readonly problem: string;
}

function readKey(config: Config, row: PermalinkKey, text: string | undefined): readonly ReadKey[] {
  if (text === undefined) return [];
  const known = codecFor(config, row);
  if (!known) {
    const [part] = row.path;
    const variant = part === 'data' ? config.data : part === 'loss' ? config.loss : config.optimizer;
    return [{ row, text, value: undefined, fits: false, problem: `there is no such setting with ${variant.type}` }];
  }
  const value = known.codec.parse(text);
  const fits = value !== undefined || known.codec.print(undefined) === text;
  return [{ row, text, value, fits, problem: `must be ${known.codec.allowed(known.range)}` }];
}

/** The run of the open exhibit; undefined if none is open, or if the exhibit does not change the run. */
function startOf({ exhibit }: ViewOptions): Config | undefined {
  const settings = exhibit && exhibitConfig(exhibit.id, exhibit.cured);
  return settings && v.parse(configSchema, settings);
}

interface Start {
  readonly config: Config;
  /** The pair that names the start, if it must be named. */
  readonly named: readonly HashPair[];
}

const PRESET_STARTS: readonly Start[] = PRESET_NAMES.map((name) => ({
  config: PAGE_PRESETS[name],
  named: name === 'mlp' ? [] : [[PRESET_KEY, name]],
}));

/** The pairs that lead from a start to the configuration. */
export const pairsFrom = (start: Start, config: Config): readonly HashPair[] =>
  must(pairsWithin(start, config, Number.POSITIVE_INFINITY), 'pairs of a link');

/** The pairs that lead from a start to the configuration, if they are shorter than `most` characters. */
function pairsWithin({ config: start, named }: Start, config: Config, most: number): readonly HashPair[] | undefined {
  const byType = withDataType(start, config.data.type);
  const byData = fitToData({ ...byType, data: config.data });
  const { optimizer } =
    config.optimizer.type === byData.optimizer.type ? byData : withOptimizer(byData, config.optimizer.type);
  const base = { ...byData, optimizer, loss: withLossType(byData.loss, config.loss.type) };
  const pairs: HashPair[] = [];
  const add = (row: PermalinkKey, always: boolean, against: Config) => {
    const known = codecFor(config, row);
    const value = readSetting(config, row.path);
    if (!known || (!always && same(value, readSetting(against, row.path)))) return;
    pairs.push([row.key, known.codec.print(value)]);
  };
  add(SEED_KEY, true, base);
  pairs.push(...named);
  add(VARIANT_KEYS.data, false, start);
  add(VARIANT_KEYS.opt, false, byData);
  add(VARIANT_KEYS.loss, false, byData);
  for (const row of PLAIN_KEYS) add(row, false, row.path[0] === 'data' ? byType : base);
  // The rest only adds pairs, and takes most of the time.
  if (lengthOf(pairs) >= most) return undefined;
  const net = printNet(config, byData);
  const said = new Set(pairs.map(([key]) => key));
  const paths = PLAIN_KEYS.filter(({ key }) => said.has(key)).map(({ path }) => path);
  // Without layers in the link, its reader would make the net deeper.
  pairs.push(...(net.length === 0 && needsDeeper(config, paths) ? printWholeNet(config) : net));
  if (lengthOf(pairs) >= most) return undefined;
  const all = [...pairs, ...againstTheButton(config, start.mode, pairs)];
  return lengthOf(all) < most ? all : undefined;
}

/** Settings that the mode's button would set differently, and that no pair contains yet. */
function againstTheButton(config: Config, before: Config['mode'], pairs: readonly HashPair[]): readonly HashPair[] {
  const said = new Set(pairs.map(([key]) => key));
  const explicit = PLAIN_KEYS.filter(({ key }) => said.has(key)).map(
    ({ path }) => [path, readSetting(config, path)] as const,
  );
  const read = asTheButton(config, before, explicit);
  const other = PLAIN_KEYS.filter(({ path }) => !same(readSetting(read, path), readSetting(config, path)));
  const more = other.flatMap((row): readonly HashPair[] => {
    const known = codecFor(config, row);
    return known ? [[row.key, known.codec.print(readSetting(config, row.path))]] : [];
  });
  // The added pairs may change which other settings the button would set.
  return more.length === 0 ? [] : [...more, ...againstTheButton(config, before, [...pairs, ...more])];
}

const lengthOf = (pairs: readonly HashPair[]): number =>
  pairs.reduce((sum, [key, text]) => sum + key.length + text.length + 2, 0);

/**
 * The hash without '#', relative to the preset that gives the shortest text. `kept` pairs follow, except those whose
 * key has since received a good value. `state`: for a link that leads to a moment of the run.
 */
export function printPermalink(
  config: Config,
  view: ViewOptions,
  kept: readonly HashPair[],
  state?: LinkState,
): string {
  const exhibit = startOf(view);
  const starts = exhibit ? [{ config: exhibit, named: [] }] : PRESET_STARTS;
  let shortest: readonly HashPair[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const start of starts) {
    const way = pairsWithin(start, config, length);
    if (!way) continue;
    shortest = way;
    length = lengthOf(way);
  }
  const pairs = [...shortest, ...printView(view), ...(state ? printState(state) : [])];
  const written = new Map(pairs);
  // For a list, only the unknown names were kept.
  for (const [key, text] of kept) {
    const list = key === 'hide' || key === 'lock' || key === 'open' ? written.get(key) : undefined;
    if (list !== undefined) written.set(key, `${list},${text}`);
    // The seed is always written, but it replaces a refused seed only if it is not the default.
    else if (!written.has(key) || (key === SEED_KEY.key && config.seed === PAGE_CONFIG.seed)) written.set(key, text);
  }
  return joinHash([...written]);
}
