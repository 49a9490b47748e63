/**
 * The permalink: everything that makes a run, in the hash, as readable pairs (`seed=0&mode=ddp&lr=0.03`). Only what
 * differs from the page's defaults is written, the seed always. For a bad value the default applies, with a notice; the
 * bad value stays in the hash, so that no link is rewritten silently. The same holds for unknown keys. This file reads
 * links, print-permalink.ts prints them. Pure: url-sync.ts moves the link to and from the address bar.
 */

import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { isBuiltIn } from '../../protocol/config/data';
import { OPTIMIZER_TYPES } from '../../protocol/config/optimizer';
import { meshSizes, openAxis } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { LOSS_TYPES, withMeshDevices, withOptimizer, withSetting, withSettings } from '../edit/edit-config';
import { fitToData } from '../edit/edit-data';
import { OPENING_CONFIG } from '../edit/page-config';
import { PAGE_PRESETS, PRESET_NAMES } from '../edit/page-presets';
import { readSetting, type SettingPath } from '../edit/setting-ranges';
import { same } from '../model/families';
import { withLossType } from '../model/fit-model';
import { shownAxes } from '../model/shown-axes';
import { type HashPair, splitHash } from './hash-pairs';
import { type LinkState, parseState, STATE_KEYS } from './link-state';
import { type PermalinkKey, PLAIN_KEYS, PRESET_ALLOWED, PRESET_KEY, SEED_KEY, VARIANT_KEYS } from './permalink-keys';
import { asDeepAsAsked, asTheButton, deeperNotice } from './permalink-mode';
import { NET_KEYS, parseNet } from './permalink-model';
import { createLinkNotices } from './permalink-notices';
import { codecFor, isFile, startOf, withDataType } from './permalink-start';
import { MOST_NESTED, nestsTooDeep } from './permalink-values';
import type { ViewOptions } from './permalink-view';
import { parseView, VIEW_KEYS } from './permalink-view';

export interface Permalink {
  readonly config: Config;
  readonly view: ViewOptions;
  /** The place in the run to which the link leads. */
  readonly state: LinkState;
  /** Pairs that were not understood; they are written into the hash unchanged. */
  readonly kept: readonly HashPair[];
  readonly notices: readonly Notice[];
}

const optimizerTypes = OPTIMIZER_TYPES as readonly string[];
const isOptimizer = (type: unknown): type is Config['optimizer']['type'] => optimizerTypes.includes(String(type));
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
