/**
 * The error for settings that do not go together: names each setting by its key and its value in the configuration,
 * then gives the reason. Thrown by all checks of a configuration except the schema's own limits (config/issue-words).
 * The fuzzer checks that these errors name key and value.
 */
import { brief } from './brief';
import { type ErrorCode, LockstepError } from './errors';

export interface Refusal {
  /** Key in the configuration (`ddp.commHook.type`) and value; at least one. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A clause: why these values do not go together. */
  readonly why: string;
  /** One sentence: which of the settings to change, and to what. */
  readonly hint: string;
  /** Default 'config'. */
  readonly code?: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** `ddp.join is true and accumulate is 2: why.` */
export function refusedSettings({ settings, why, hint, code = 'config', details = {} }: Refusal): LockstepError {
  return new LockstepError(code, `${namedSettings(settings)}: ${why}.`, hint, { ...details, settings });
}

/** `batchSize is 2, worldSize is 4 and accumulate is 3`; settings left out of a configuration are "not given". */
export function namedSettings(settings: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(settings).map(([key, value]) => `${key} is ${valueText(value)}`);
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}

const MOST = 60;

/** A value as it is written in a configuration. */
export const valueText = (value: unknown): string => {
  if (value === undefined) return 'not given';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return brief(`[${value.map(valueText).join(', ')}]`, MOST);
  return brief(JSON.stringify(value), MOST);
};
