/**
 * One complaint of the schema about a configuration, as a sentence: which setting, what is allowed, what stands there. A name that is spelled as in
 * Python (`batch_size`) is answered with ours. Called by parse-config.ts for every issue that it meets.
 */
import * as v from 'valibot';
import { torchRefusal } from './torch-refusal';

/** What a sentence needs of valibot's issues, which differ by schema. */
export type ConfigIssue = v.BaseIssue<unknown>;

/** `settings`: every name that the schema knows. */
export function issueText(issue: ConfigIssue, settings: ReadonlySet<string>): string {
  const place = v.getDotPath(issue) ?? 'the configuration';
  if (issue.expected === 'never') return `${place}: there is no such setting${suggestion(place, settings)}`;
  if (issue.received === 'undefined') return `${place}: is missing${choices(issue)}.`;
  const words = torchRefusal(place, issue.input);
  return `${place}: must be ${allowed(issue)}, not ${found(issue)}.${words === undefined ? '' : ` PyTorch: "${words}".`}`;
}

function suggestion(place: string, settings: ReadonlySet<string>): string {
  const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();
  const key = place.split('.').at(-1) ?? place;
  const near = [...settings].find((name) => name !== key && plain(name) === plain(key));
  return near === undefined ? '.' : `; did you mean "${near}"?`;
}

const choices = (issue: ConfigIssue): string => (issue.type === 'variant' ? `: one of ${oneOf(issue)}` : '');

/** valibot writes `("a" | "b")`. */
const oneOf = ({ expected }: ConfigIssue): string => (expected ?? '').replace(/^\(|\)$/g, '').replaceAll(' | ', ', ');

const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  strict_object: 'an object with settings',
  integer: 'a whole number',
  finite: 'a finite number',
  union: 'a text or a whole number',
};

function allowed(issue: ConfigIssue): string {
  const bound = (issue.expected ?? '').replace(/^[<>]=/, '');
  switch (issue.type) {
    case 'min_value':
      return `at least ${bound}`;
    case 'max_value':
      return `at most ${bound}`;
    case 'min_length':
      return `a list of at least ${bound}`;
    case 'max_length':
      return `a list of at most ${bound}`;
    case 'variant':
    case 'picklist':
    case 'literal':
      return issue.expected === 'Object' ? 'an object with settings' : `one of ${oneOf(issue)}`;
    default:
      return KINDS[issue.type] ?? issue.message;
  }
}

/** What stands there, cut to what a line of text bears. */
function found({ input, type }: ConfigIssue): string {
  if (Array.isArray(input)) return type.endsWith('_length') ? `${input.length}` : 'a list';
  if (typeof input === 'object' && input !== null) return 'an object';
  const text = JSON.stringify(input) ?? String(input);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

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
