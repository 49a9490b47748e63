/**
 * The permalink: everything that makes a run, in the hash, as readable pairs (`seed=0&mode=ddp&lr=0.03`). Only what differs
 * from the page's defaults is written, the seed always. A bad value falls back to the default, says so in a notice and
 * stays in the hash, so that nobody's link is rewritten behind their back; so does a key that is not known. Pure:
 * url-sync.ts moves it to and from the address bar.
 */
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/session';
import { BUILT_IN_DATA, type BuiltInData, fitToData, withData, withOptimizer, withSetting } from './edit-config';
import { PAGE_CONFIG } from './page-config';
import { codecOf, type PermalinkKey, PLAIN_KEYS, SEED_KEY, VARIANT_KEYS } from './permalink-keys';
import { NET_KEYS, parseNet, printNet } from './permalink-model';
import { parseView, printView, VIEW_KEYS } from './permalink-view';
import { rangeOf, readSetting } from './setting-ranges';
import type { ViewOptions } from './store';

type Pair = readonly [key: string, text: string];

export interface Permalink {
  readonly config: Config;
  readonly view: ViewOptions;
  /** Pairs that were not understood; they go back into the hash as they came. */
  readonly kept: readonly Pair[];
  readonly notices: readonly Notice[];
}

/** The page's defaults for the alternatives that this configuration has chosen. */
function baseFor(config: Config): Config {
  const data = config.data;
  const byData =
    data.type === 'csv' || data.type === 'npy'
      ? { ...PAGE_CONFIG, data: fileData(data.type) }
      : withData(PAGE_CONFIG, data.type);
  return config.optimizer.type === PAGE_CONFIG.optimizer.type ? byData : withOptimizer(byData, config.optimizer.type);
}

const fileData = (type: 'csv' | 'npy'): Config['data'] =>
  type === 'csv'
    ? { type, file: '', header: 'auto', testFraction: 0 }
    : { type, inputs: '', targets: '', testFraction: 0 };

function chooseVariants(pairs: ReadonlyMap<string, string>): Config {
  const data = VARIANT_KEYS.data.codec?.parse(pairs.get('data') ?? '');
  const opt = VARIANT_KEYS.opt.codec?.parse(pairs.get('opt') ?? '');
  const optimizer = opt === 'SGD' || opt === 'Adam' || opt === 'AdamW' ? opt : PAGE_CONFIG.optimizer.type;
  const chosen =
    data === 'csv' || data === 'npy'
      ? fileData(data)
      : isBuiltIn(data)
        ? withData(PAGE_CONFIG, data).data
        : PAGE_CONFIG.data;
  return baseFor({ ...PAGE_CONFIG, data: chosen, optimizer: withOptimizer(PAGE_CONFIG, optimizer).optimizer });
}

const isBuiltIn = (type: unknown): type is BuiltInData => BUILT_IN_DATA.some((known) => known === type);

const codecFor = (config: Config, key: PermalinkKey) => {
  const range = rangeOf(config, key.path);
  return range && { range, codec: key.codec ?? codecOf(range) };
};

const ALL_KEYS: readonly PermalinkKey[] = [...Object.values(VARIANT_KEYS), SEED_KEY, ...PLAIN_KEYS];
const canonical = new Map(ALL_KEYS.flatMap((row) => [row.key, ...row.aliases].map((name) => [name, row.key] as const)));

export function parsePermalink(hash: string): Permalink {
  const all = splitHash(hash).map(([key, text]): Pair => [canonical.get(key) ?? key, text]);
  const pairs = new Map(all);
  const notices: Notice[] = [];
  const kept: Pair[] = [];
  const keep = (key: string, text: string, why: string, hint: string) => {
    kept.push([key, text]);
    notices.push({ level: 'warning', id: `config-${key}`, text: `The link says ${key}=${text}: ${why}.`, hint });
  };
  const bad = (key: string, text: string, allowed: string) =>
    keep(key, text, allowed, 'The default is used instead; the link keeps its value.');

  let config = chooseVariants(pairs);
  for (const row of Object.values(VARIANT_KEYS)) {
    const text = pairs.get(row.key);
    const wanted = text === undefined ? undefined : row.codec?.parse(text);
    if (text !== undefined && wanted !== readSetting(config, row.path)) {
      bad(row.key, text, `allowed is ${row.codec?.allowed({ kind: 'text' })}`);
    }
  }
  const readKey = (row: PermalinkKey) => {
    const text = pairs.get(row.key);
    if (text === undefined) return;
    const known = codecFor(config, row);
    if (!known) {
      const variant = row.path[0] === 'data' ? config.data.type : config.optimizer.type;
      bad(row.key, text, `there is no such setting with ${variant}`);
      return;
    }
    const value = known.codec.parse(text);
    const takesAway = value === undefined && known.codec.print(undefined) === text;
    const edit = value === undefined && !takesAway ? undefined : withSetting(config, row.path, value);
    if (edit?.ok) config = edit.config;
    else bad(row.key, text, `allowed is ${known.codec.allowed(known.range)}`);
  };
  // The data says how wide the net begins and ends; the net says which split fits it.
  const ofData = (row: PermalinkKey) => row.path[0] === 'data';
  for (const row of PLAIN_KEYS.filter(ofData)) readKey(row);
  config = fitToData(config);
  for (const key of NET_KEYS) {
    const text = pairs.get(key);
    if (text === undefined) continue;
    const edit = parseNet(config, key, text);
    if (edit.ok) config = edit.config;
    else bad(key, text, edit.problem);
  }
  for (const row of [SEED_KEY, ...PLAIN_KEYS.filter((row) => !ofData(row))]) readKey(row);
  const view = parseView(pairs, bad);
  const known = new Set<string>([...ALL_KEYS.map((row) => row.key), ...NET_KEYS, ...VIEW_KEYS]);
  for (const [key, text] of all) {
    if (!known.has(key)) keep(key, text, 'there is no such setting', 'It is ignored; the link keeps it.');
  }
  return { config, view, kept, notices };
}

/** The hash without '#'. `kept` pairs follow, except those whose key has got a good value since. */
export function printPermalink(config: Config, view: ViewOptions, kept: readonly Pair[]): string {
  const base = baseFor(config);
  const pairs: Pair[] = [];
  const add = (row: PermalinkKey, always: boolean, against: Config) => {
    const known = codecFor(config, row);
    const value = readSetting(config, row.path);
    if (!known || (!always && JSON.stringify(value) === JSON.stringify(readSetting(against, row.path)))) return;
    pairs.push([row.key, known.codec.print(value)]);
  };
  add(SEED_KEY, true, base);
  for (const row of Object.values(VARIANT_KEYS)) {
    const value = readSetting(config, row.path);
    if (value !== readSetting(PAGE_CONFIG, row.path)) pairs.push([row.key, row.codec?.print(value) ?? '']);
  }
  for (const row of PLAIN_KEYS) add(row, false, base);
  pairs.push(...printNet(config, netBase(config, base)), ...printView(view));
  const written = new Map(pairs);
  // Of a list only the unknown names were kept aside.
  for (const [key, text] of kept) {
    const list = key === 'hide' || key === 'lock' ? written.get(key) : undefined;
    if (list !== undefined) written.set(key, `${list},${text}`);
    else if (!written.has(key)) written.set(key, text);
  }
  return joinHash([...written]);
}

/** Inputs and outputs follow from the data's own keys (`in`, `out`, `loss`), as the parser makes them follow. */
function netBase(config: Config, base: Config): Config {
  const fitted = fitToData({ ...base, data: config.data });
  return { ...fitted, loss: config.loss };
}

const encode = (text: string) => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':');

function joinHash(pairs: readonly Pair[]): string {
  return pairs.map(([key, text]) => `${encode(key)}=${encode(text)}`).join('&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // A stray % is no reason to lose the rest of the link.
    return text;
  }
}

function splitHash(hash: string): readonly Pair[] {
  return hash
    .replace(/^#/, '')
    .split('&')
    .filter((part) => part !== '')
    .map((part): Pair => {
      const cut = part.indexOf('=');
      return cut < 0 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    });
}
