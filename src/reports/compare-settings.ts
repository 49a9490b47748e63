/**
 * The settings in which two configurations differ. Omitted defaults of Lockstep's configurations are filled in first,
 * so that only differences in meaning are listed. Called by compare-reports.ts.
 */
import * as v from 'valibot';
import { configSchema } from '../protocol/config';
import type { AnyReport } from './any-report';

export interface SettingDifference {
  /** 'optimizer.lr'. */
  readonly path: string;
  /** The value in a; undefined: not in the report. */
  readonly a: unknown;
  readonly b: unknown;
}

/** Undefined if a report has no configuration. */
export function compareSettings(a: AnyReport, b: AnyReport): readonly SettingDifference[] | undefined {
  if (a.config === undefined || b.config === undefined) return undefined;
  return differences(filled(a.config), filled(b.config), '');
}

function filled(config: unknown): unknown {
  const parsed = v.safeParse(configSchema, config);
  return parsed.success ? parsed.output : config;
}

function differences(a: unknown, b: unknown, path: string): readonly SettingDifference[] {
  if (isObject(a) && isObject(b)) {
    const [ofA, ofB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
    return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((key) =>
      differences(ofA.get(key), ofB.get(key), path === '' ? key : `${path}.${key}`),
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, a, b }];
}

/** Also lists, item by item, so that each layer has a path. */
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** One setting of a configuration from any program. */
export function settingOf(config: Readonly<Record<string, unknown>> | undefined, path: string): unknown {
  let value: unknown = config === undefined ? undefined : filled(config);
  for (const key of path.split('.')) value = isObject(value) ? new Map(Object.entries(value)).get(key) : undefined;
  return value;
}
