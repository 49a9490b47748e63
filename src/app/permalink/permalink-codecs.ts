/**
 * How the values of a permalink are written and read: numbers, flags, names, lists, texts. A setting's limits come from
 * the Config's schema. Used by the table of keys (permalink-keys.ts).
 */
import { rangeText, type SettingRange } from '../edit/setting-ranges';
import { parseValue, printValue } from './permalink-values';

export interface Codec {
  /** Returns undefined if the text does not have this form. */
  readonly parse: (text: string) => unknown;
  readonly print: (value: unknown) => string;
  readonly allowed: (range: SettingRange) => string;
}

const identity = (text: string) => text;

export function codecOf(range: SettingRange): Codec {
  const allowed = (r: SettingRange) => rangeText(r);
  if (range.kind === 'number') return { parse: parseNumber, print: String, allowed };
  if (range.kind === 'boolean') return { parse: parseBoolean, print: (value) => (value === true ? '1' : '0'), allowed };
  return { parse: identity, print: String, allowed };
}

export function parseNumber(text: string): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function parseBoolean(text: string): boolean | undefined {
  if (['1', 'true', 'yes', 'on'].includes(text)) return true;
  if (['0', 'false', 'no', 'off'].includes(text)) return false;
  return undefined;
}

export function names(short: Readonly<Record<string, string>>): Codec {
  const longOf = new Map(Object.entries(short));
  const shortOf = new Map(Object.entries(short).map(([a, b]) => [b, a]));
  const lower = (text: string) => [...shortOf.keys()].find((long) => long.toLowerCase() === text.toLowerCase());
  return {
    parse: (text) => longOf.get(text) ?? lower(text) ?? text,
    print: (value) => shortOf.get(String(value)) ?? String(value),
    allowed: () => `one of ${[...longOf.keys()].join(', ')}`,
  };
}

/**
 * KiB below one MiB, so that a small cap is readable; a number without a unit is MiB, as in PyTorch's bucket_cap_mb.
 */
export const mebibytes: Codec = {
  parse: (text) => {
    if (text === 'default') return undefined;
    const [, digits, unit] = /^([\d.eE+-]+)(KiB|MiB)?$/.exec(text) ?? [];
    const value = digits === undefined ? undefined : parseNumber(digits);
    // NaN is outside every range, so it is reported as a bad value.
    if (value === undefined) return Number.NaN;
    return unit === 'KiB' ? value / 1024 : value;
  },
  print: (value) => {
    if (typeof value !== 'number') return 'default';
    return value < 1 ? `${value * 1024}KiB` : `${value}MiB`;
  },
  allowed: (range) => `${rangeText(range)} MiB, with KiB or MiB behind it, or "default"`,
};

export const split: Codec = {
  parse: (text) => (/^\d+(-\d+)*$/.test(text) ? text.split('-').map(Number) : Number.NaN),
  print: (value) => (Array.isArray(value) ? value.join('-') : ''),
  allowed: () => 'layers on each device, as in 2-3',
};

export const optional: Codec = {
  parse: (text) => (text === 'none' ? undefined : (parseNumber(text) ?? Number.NaN)),
  print: (value) => (typeof value === 'number' ? String(value) : 'none'),
  allowed: (range) => `${rangeText(range)}, or none`,
};

/** true, false, or absent. */
export const optionalFlag: Codec = {
  parse: (text) => (text === 'none' ? undefined : (parseBoolean(text) ?? text)),
  print: (value) => (value === undefined ? 'none' : value === true ? '1' : '0'),
  allowed: () => '1, 0 or none',
};

/** The norm_type of clip_grad_norm_. */
export const normType: Codec = {
  parse: (text) => (text === 'none' ? undefined : (parseNumber(text) ?? text)),
  print: (value) => (value === undefined ? 'none' : String(value)),
  allowed: (range) => `${rangeText(range)}, or none`,
};

/** A column: a number is its index, other text its name; a number in quotes is a name. */
export const column: Codec = {
  parse: (text) => (/^\d+$/.test(text) ? Number(text) : text.replace(/^'(.*)'$/s, '$1')),
  print: (value) => {
    if (typeof value === 'number') return String(value);
    const name = String(value);
    return /^\d+$/.test(name) || /^'.*'$/s.test(name) ? `'${name}'` : name;
  },
  allowed: () => 'the name or the number of a column',
};

/** A list, or an object with fields. */
export const structured = (example: string): Codec => ({
  parse: (text) => (text === 'none' ? undefined : (parseValue(text) ?? Number.NaN)),
  print: (value) => (value === undefined ? 'none' : printValue(value)),
  allowed: () => `a text as in ${example}, or none`,
});

/** An object with a type; only a type's name means the type with its defaults. */
export const typed = (example: string): Codec => {
  const { parse, print } = structured(example);
  return {
    print,
    allowed: (range) => `${rangeText(range)}, with settings as in ${example}, or none`,
    parse(text) {
      const value = parse(text);
      return typeof value === 'string' ? { type: value } : value;
    },
  };
};

/** An optional name, of a file for example. */
export const optionalText: Codec = {
  parse: (text) => (text === 'none' ? undefined : text.replace(/^'(.*)'$/s, '$1')),
  print: (value) => {
    if (value === undefined) return 'none';
    const text = String(value);
    return text === 'none' || /^'.*'$/s.test(text) ? `'${text}'` : text;
  },
  allowed: () => 'a text, or none',
};

/** A text of several lines, separated by `~`, because a line end would be written as %0A. */
export const rows: Codec = {
  parse: (text) =>
    text === 'none' ? undefined : /^'.*'$/s.test(text) ? text.slice(1, -1) : text.replaceAll('~', '\n'),
  print: (value) => {
    if (value === undefined) return 'none';
    const text = String(value);
    return text === 'none' || text.includes('~') || /^'.*'$/s.test(text) ? `'${text}'` : text.replaceAll('\n', '~');
  },
  allowed: () => 'a row of actions per rank, as in 0F0,0B0~1F0,1B0, or none',
};
