/**
 * One complaint of the schema as a sentence: which setting, what is allowed, what was found. The page calls it for
 * values that it has made itself; config-issue.ts adds hints for users who write names by hand.
 */
import * as v from 'valibot';
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';

/** The parts of valibot's issues that a sentence needs. */
export type ConfigIssue = v.BaseIssue<unknown>;

/** Additions to a complaint for users who have written the value by hand. */
export interface Hints {
  /** Every name that the schema knows. */
  readonly settings: ReadonlySet<string>;
  /** Names that were probably meant. */
  near(name: string, known: Iterable<string>): readonly string[];
  /** PyTorch's own message about such a value. */
  torch(place: string, value: unknown): string | undefined;
}

const NO_HINTS: Hints = { settings: new Set(), near: () => [], torch: () => undefined };

export function issueText(issue: ConfigIssue, hints: Hints): string {
  const place = placeOf(issue);
  if (issue.expected === 'never') return `There is no setting ${place}${suggestion(place, hints)}`;
  if (issue.received === 'undefined') return `${place} is missing${choices(issue)}.`;
  const words = hints.torch(place, issue.input);
  return `${place} must be ${allowed(issue)}, not ${found(issue)}${misspelt(issue, hints)}${words === undefined ? '' : ` PyTorch: "${words}".`}`;
}

/** Most complaints in one message. */
const MOST_COMPLAINTS = 8;

/** All complaints about a value in one message: the first ones, and the number of the others. */
export function complaints(issues: readonly ConfigIssue[], hints: Hints = NO_HINTS): readonly string[] {
  const texts = issues.slice(0, MOST_COMPLAINTS).map((issue) => issueText(issue, hints));
  const more = issues.length - texts.length;
  return more > 0 ? [...texts, `And ${more.toLocaleString('en')} more like these.`] : texts;
}

/** Parses a value that the page itself has made, for example from a file's sizes; refuses it in our words. */
export function parsePart<T extends v.GenericSchema>(schema: T, value: unknown, what: string): v.InferOutput<T> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const found = complaints(parsed.issues);
  throw new LockstepError('config', `${what}: ${found.join(' ')}`, 'Use smaller data, other data or another model.');
}

const placeOf = (issue: ConfigIssue): string => brief(v.getDotPath(issue) ?? 'The configuration', 80);

function suggestion(place: string, hints: Hints): string {
  const near = hints.near(place.split('.').at(-1) ?? place, hints.settings);
  return near.length === 0 ? '.' : `${meant(near)}?`;
}

const meant = (near: readonly string[]): string => `; did you mean ${near.map((name) => `"${name}"`).join(' or ')}`;

/** A type or choice that is not in the list may be a misspelt one. */
function misspelt({ type, input, expected }: ConfigIssue, hints: Hints): string {
  if ((type !== 'variant' && type !== 'picklist') || typeof input !== 'string') return '.';
  const names = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
  const near = hints.near(input, names);
  return near.length === 0 ? '.' : `${meant(near)}?`;
}

const choices = (issue: ConfigIssue): string => (issue.type === 'variant' ? `; it is one of ${oneOf(issue)}` : '');

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
  record: 'an object with settings',
  Object: 'an object with settings',
  integer: 'a whole number',
  finite: 'a finite number',
  strict_tuple: 'a list of two whole numbers',
  lazy: 'an object with settings',
  never: 'absent',
  regex: 'made of letters, digits, _ and .',
};

/** The allowed values: `at most 8192`. */
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
    case 'max_entries':
      return `an object of at most ${bound} entries`;
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

/** The value that was found, shortened for a line of text. */
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
