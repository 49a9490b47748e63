/**
 * Every refusal of a configuration must name a setting by its key, and the given value. The schema's errors have
 * `issues`, all other refusals have `settings` (base/refused-settings). A refusal because of a file's bytes names the
 * file.
 */
import type { LockstepError } from '../src/base/errors';
import { valueText } from '../src/base/refused-settings';
import { settingNames } from '../src/config/config-issue';
import { configSchema } from '../src/protocol/config';

const KNOWN = settingNames(configSchema);

/** Throws if a refusal of a configuration does not name the setting. `input`: the refused configuration. */
export function checkNamesSettings({ message, details, code }: LockstepError, input: unknown): void {
  const fail = (what: string): never => {
    throw new Error(`${what} (${code}): ${message}`);
  };
  const { settings, issues, file } = details;
  // A layer that does not fit the layer before it: `model.layers.2 (Linear): mat1 and mat2 shapes ... (32x10 and 8x4)`.
  if (/\bmodel\.layers\.\d+ \(\w+\)/.test(message) || typeof file === 'string') return;
  // The schema quotes the value; a refusal because of a limit on the whole configuration gives only the place.
  if (Array.isArray(issues) && issues.length > 0) return;
  if (/nested more than|has more than .* values/.test(message)) return;
  const named = Object.entries((settings ?? {}) as Readonly<Record<string, unknown>>);
  if (named.length === 0) fail('no setting is named');
  for (const [key, value] of named) {
    const parts = key.split('.');
    if (!parts.every((part) => KNOWN.has(part) || /^\d+$/.test(part))) fail(`there is no setting ${key}`);
    if (!message.includes(`${key} is ${valueText(value)}`)) fail(`${key} is named without its value`);
    const given = valueAt(input, parts);
    if (given !== undefined && valueText(given) !== valueText(value)) fail(`${key} was ${valueText(given)}`);
  }
}

const valueAt = (value: unknown, [first, ...rest]: readonly string[]): unknown => {
  if (first === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return undefined;
  return valueAt((value as Readonly<Record<string, unknown>>)[first], rest);
};
