/**
 * The schema's complaints about a user's configuration. For a name spelled as in Python (`batch_size`), or nearly
 * right, the complaint suggests our name. Called by parse-config.ts.
 */
import { nearNames } from '../base/near-name';
import { type ConfigIssue, complaints } from './issue-words';
import { torchRefusal } from './torch-refusal';

/** `settings`: every name that the schema knows. */
export const configComplaints = (issues: readonly ConfigIssue[], settings: ReadonlySet<string>): readonly string[] =>
  complaints(issues, { settings, near: nearNames, torch: torchRefusal });

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
