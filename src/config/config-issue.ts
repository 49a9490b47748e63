/**
 * One complaint of the schema about a configuration, as a sentence: which setting, what is allowed, what stands there.
 * A name that is spelled as in Python (`batch_size`), or nearly right, is answered with ours. Called by parse-config.ts
 * for every issue that it meets.
 */

import * as v from 'valibot';
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { nearNames } from '../base/near-name';
import { torchRefusal } from './torch-refusal';

/** What a sentence needs of valibot's issues, which differ by schema. */
export type ConfigIssue = v.BaseIssue<unknown>;

/** `settings`: every name that the schema knows. */
export function issueText(issue: ConfigIssue, settings: ReadonlySet<string>): string {
  const place = placeOf(issue);
  if (issue.expected === 'never') return `${place}: there is no such setting${suggestion(place, settings)}`;
  if (issue.received === 'undefined') return `${place}: is missing${choices(issue)}.`;
  const words = torchRefusal(place, issue.input);
  return `${place}: must be ${allowed(issue)}, not ${found(issue)}${misspelt(issue)}${words === undefined ? '' : ` PyTorch: "${words}".`}`;
}

/** At most so many complaints stand in one message. */
const MOST_COMPLAINTS = 8;

/**
 * What is wrong with a value, in one message: the first complaints and how many there are beside. `settings`: every
 * name that the schema knows.
 */
export function complaints(issues: readonly ConfigIssue[], settings: ReadonlySet<string>): readonly string[] {
  const texts = issues.slice(0, MOST_COMPLAINTS).map((issue) => issueText(issue, settings));
  const more = issues.length - texts.length;
  return more > 0 ? [...texts, `And ${more.toLocaleString('en')} more like these.`] : texts;
}

/**
 * A value that the page itself puts together, from a file's sizes for example, in the form of the schema; refused in
 * our words.
 */
export function parsePart<T extends v.GenericSchema>(schema: T, value: unknown, what: string): v.InferOutput<T> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const found = complaints(parsed.issues, settingNames(schema));
  throw new LockstepError('config', `${what}: ${found.join(' ')}`, 'Use smaller or other data, or another model.');
}

const placeOf = (issue: ConfigIssue): string => brief(v.getDotPath(issue) ?? 'the configuration', 80);

function suggestion(place: string, settings: Iterable<string>): string {
  const near = nearNames(place.split('.').at(-1) ?? place, settings);
  return near.length === 0 ? '.' : `${meant(near)}?`;
}

const meant = (near: readonly string[]): string => `; did you mean ${near.map((name) => `"${name}"`).join(' or ')}`;

/** A type or a choice that is not in the list may be one of it, misspelt. */
function misspelt({ type, input, expected }: ConfigIssue): string {
  if ((type !== 'variant' && type !== 'picklist') || typeof input !== 'string') return '.';
  const names = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
  const near = nearNames(input, names);
  return near.length === 0 ? '.' : `${meant(near)}?`;
}

const choices = (issue: ConfigIssue): string => (issue.type === 'variant' ? `: one of ${oneOf(issue)}` : '');

/** valibot writes `("a" | "b")`. */
const oneOf = ({ expected }: ConfigIssue): string => (expected ?? '').replace(/^\(|\)$/g, '').replaceAll(' | ', ', ');

/** 'a text or a number', 'a number or "inf"'. */
const kindsOf = (issue: ConfigIssue): string =>
  oneOf(issue)
    .split(', ')
    .map((kind) => lookup(KINDS, kind) ?? kind)
    .join(' or ');

const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  strict_object: 'an object with settings',
  integer: 'a whole number',
  finite: 'a finite number',
  strict_tuple: 'a list of two whole numbers',
  lazy: 'an object with settings',
  never: 'absent',
  regex: 'made of letters, digits, _ and .',
};

/** What may stand there: `at most 8192`. */
export function allowed(issue: ConfigIssue): string {
  const bound = (issue.expected ?? '').replace(/^[<>]=/, '');
  switch (issue.type) {
    case 'min_value':
      return `at least ${bound}`;
    case 'max_value':
      return `at most ${bound}`;
    case 'min_length':
      return isText(issue) ? `a text of at least ${bound} characters` : `a list of at least ${bound}`;
    case 'max_length':
      return isText(issue) ? `a text of at most ${bound} characters` : `a list of at most ${bound}`;
    case 'union':
      // A size is one number for both directions, or two.
      return (issue.expected ?? '').includes('Array') ? 'a whole number or a list of two' : kindsOf(issue);
    case 'variant':
    case 'picklist':
    case 'literal':
      return issue.expected === 'Object' ? 'an object with settings' : `one of ${oneOf(issue)}`;
    default:
      return lookup(KINDS, issue.type) ?? 'another value';
  }
}

const isText = ({ input }: ConfigIssue): boolean => typeof input === 'string';

/** What stands there, cut to what a line of text bears. */
function found({ input, type }: ConfigIssue): string {
  if (Array.isArray(input)) return type.endsWith('_length') ? `${input.length}` : 'a list';
  switch (typeof input) {
    case 'string':
      return isLength(type) ? `${input.length}` : JSON.stringify(brief(input));
    case 'object':
      return input === null ? 'null' : 'an object';
    case 'bigint':
      return `the bigint ${brief(String(input))}`;
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    default:
      // JSON has no NaN and no Infinity.
      return String(input);
  }
}

const isLength = (type: string): boolean => type === 'max_length';

/** Names of all settings below a schema, at any depth. */
export function settingNames(schema: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  const { entries, options, wrapped, item } = schema as Readonly<Record<string, unknown>>;
  for (const [name, entry] of Object.entries(entries ?? {})) {
    names.add(name);
    settingNames(entry, names);
  }
  if (Array.isArray(options)) for (const option of options) settingNames(option, names);
  settingNames(wrapped, names);
  settingNames(item, names);
  return names;
}
