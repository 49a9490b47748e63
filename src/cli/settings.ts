/**
 * Settings on the command line: `--set key=value` with dotted keys, and the short ways `--steps`, `--mode`,
 * `--world-size` and `--seed`. They override a preset and a file; the session checks them. Read by source-usage.ts,
 * applied by read-run.ts.
 */
import { lookup } from '../base/lookup';
import { DEFAULT_CONFIG, MODES } from '../protocol/config';
import { type OptionRow, usageError, type Values, valuesOf } from './option-values';
import { hasType, settingPath, settingValue } from './spoken-names';

export const SETTING_OPTIONS: readonly OptionRow[] = [
  {
    name: 'set',
    value: 'KEY=VALUE',
    multiple: true,
    text: 'change one setting of the preset or the file: --set batchSize=64 --set optimizer.lr=0.05 --set optimizer=Adam --set preset=wide',
  },
  { name: 'steps', value: 'N', text: 'short for --set steps=N; replaces epochs' },
  {
    name: 'mode',
    value: 'NAME',
    text: `short for --set mode=NAME: ${MODES.join(', ')}`,
  },
  { name: 'world-size', value: 'N', text: 'short for --set worldSize=N' },
  { name: 'seed', value: 'N', text: 'short for --set seed=N' },
];

export interface GivenSetting {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The most parts of a key; no setting is deeper. */
const DEEPEST = 16;

/** The settings in the given order; the short options come last. */
export function settingsOf(values: Values): readonly GivenSetting[] {
  const given = valuesOf(values, 'set').map(parseSetting);
  const short = (option: string, key: string): readonly GivenSetting[] =>
    valuesOf(values, option).map((text) => parseSetting(`${key}=${text}`));
  return [
    ...given,
    ...short('steps', 'steps'),
    ...short('mode', 'mode'),
    ...short('world-size', 'worldSize'),
    ...short('seed', 'seed'),
  ];
}

function parseSetting(text: string): GivenSetting {
  const [, key = '', said = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const parts = key.trim().split('.');
  if (parts.some((part) => part === ''))
    throw usageError(`--set takes KEY=VALUE, as in optimizer.lr=0.05, not "${brief(text)}"`);
  if (parts.length > DEEPEST) throw usageError(`--set ${brief(key)}: no setting has a key of ${parts.length} parts`);
  const path = settingPath(parts);
  const value = valueIn(said.trim());
  return { path, value: typeof value === 'string' ? choice(path, value) : value };
}

const brief = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}...` : text);

/**
 * Parses a value as JSON if possible, else keeps the text. A whole number that would be rounded stays a text and is
 * refused as such.
 */
function valueIn(text: string): unknown {
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** `optimizer=Adam` is short for `optimizer.type=Adam` with Adam's defaults. */
const choice = (path: readonly string[], said: string): unknown =>
  hasType(path) ? { type: settingValue([...path, 'type'], said) } : settingValue(path, said);

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The configuration overridden by these settings. Parts that it lacks start with the defaults: `optimizer.lr=0.05`
 * alone is SGD at this rate.
 */
export function withSettings(config: Json, settings: readonly GivenSetting[]): Json {
  const isTypeOf = ({ path }: GivenSetting): boolean => path.at(-1) === 'type';
  // A type decides which other settings exist, so types are applied first.
  const ordered = [...settings.filter(isTypeOf), ...settings.filter((setting) => !isTypeOf(setting))];
  let current = config;
  for (const { path, value } of ordered) {
    const [first = ''] = path;
    const begins = path.length > 1 && !Object.hasOwn(current, first);
    current = put(begins ? { ...current, [first]: lookup(DEFAULT_CONFIG, first) } : current, path, value);
  }
  // `epochs` would override the requested steps.
  const asked = new Set(settings.map(({ path: [first] }) => first));
  return asked.has('steps') && !asked.has('epochs') ? without(current, 'epochs') : current;
}

const without = (config: Json, key: string): Json =>
  Object.fromEntries(Object.entries(config).filter(([name]) => name !== key));

function put(target: unknown, [key, ...rest]: readonly string[], value: unknown): Json {
  const list =
    Array.isArray(target) && key !== undefined && /^\d+$/.test(key) ? (target as readonly unknown[]) : undefined;
  if (key === undefined) return {};
  if (list) {
    const index = Number(key);
    if (index > list.length)
      throw usageError(
        `--set: the list has ${list.length} entries and no entry ${key}; entries are numbered from 0, and ${list.length} adds one`,
      );
    const entry = rest.length === 0 ? value : put(list[index], rest, value);
    return [...list.slice(0, index), entry, ...list.slice(index + 1)] as unknown as Json;
  }
  const object = isJson(target) ? target : {};
  // A different type has different settings, so the old ones are dropped.
  if (rest.length === 0 && key === 'type' && object['type'] !== value) return { type: value };
  const inside = Object.hasOwn(object, key) ? lookup(object, key) : undefined;
  return { ...object, [key]: rest.length === 0 ? value : put(inside, rest, value) };
}
