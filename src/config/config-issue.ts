/**
 * The schema's complaints about a user's configuration. For a name spelled as in Python (`batch_size`), or nearly
 * right, the complaint suggests our name. Called by parse-config.ts.
 */
import { nearNames } from '../base/near-name';
import { type ConfigIssue, complaints } from './issue-words';
import { torchRefusal } from './torch-refusal';

/** `settings`: every name that the schema knows. */
export const configComplaints = (issues: readonly ConfigIssue[], settings: ReadonlySet<string>): readonly string[] =>
  complaints(issues.flatMap(innermost), { settings, near: nearNames, torch: torchRefusal });

/** If a value fits one variant of a union except for a field inside it: the complaints about that field. */
function innermost(issue: ConfigIssue): readonly ConfigIssue[] {
  const isObject = issue.type === 'union' && !Array.isArray(issue.input);
  const inside = isObject ? (issue.issues ?? []).filter(({ path }) => path !== undefined) : [];
  if (inside.length === 0) return [issue];
  return inside.flatMap((part) => {
    const [first, ...rest] = [...(issue.path ?? []), ...(part.path ?? [])];
    return innermost(first ? { ...part, path: [first, ...rest] } : part);
  });
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
