import { expect, test } from 'vitest';
import { type Config, configSchema } from '../../protocol/config';
import { rangeOf, type SettingPath } from './setting-ranges';

interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
}

interface Place {
  readonly path: SettingPath;
  /** A Config in which the path exists. */
  readonly config: Config;
}

const nested = (path: SettingPath, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

/** Every setting of objects, with each type that an object may have. */
function places({ wrapped, type, options, entries }: Schema, path: SettingPath, config: unknown): readonly Place[] {
  if (wrapped) return places(wrapped, path, config);
  if (type === 'variant')
    return ((options ?? []) as readonly Schema[]).flatMap((option) =>
      places(option, path, option.entries ? nested(path, { type: option.entries['type']?.literal }) : config),
    );
  const inner = Object.entries(entries ?? {}).flatMap(([key, entry]) => places(entry, [...path, key], config));
  return entries ? inner : [{ path, config: config as Config }];
}

test('every number has a lower and an upper limit', () => {
  const ranges = places(configSchema, [], {}).map(({ path, config }) => ({
    path: path.join('.'),
    range: rangeOf(config, path),
  }));
  expect(ranges.filter(({ range }) => range === undefined)).toEqual([]);
  const numbers = ranges.flatMap(({ path, range }) => (range?.kind === 'number' ? [{ path, ...range }] : []));
  expect(numbers.length).toBeGreaterThan(100);
  expect(numbers.filter(({ min, max }) => !Number.isFinite(min) || !Number.isFinite(max))).toEqual([]);
  expect(numbers).toContainEqual({ path: 'sharded.stage', kind: 'number', min: 0, max: 3, integer: true });
});
