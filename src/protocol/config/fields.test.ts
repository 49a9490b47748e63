import * as v from 'valibot';
import { expect, test } from 'vitest';
import { configSchema } from '../config';

interface Schema extends v.GenericSchema {
  readonly [part: string]: unknown;
}

/** Every schema below this one, once. */
function below(value: unknown, found = new Set<Schema>()): ReadonlySet<Schema> {
  if (typeof value !== 'object' || value === null || found.has(value as Schema)) return found;
  const schema = value as Schema;
  if (schema.kind === 'schema') found.add(schema);
  const { entries, options, wrapped, item, items, pipe, value: each, getter } = schema;
  const lazy: unknown = typeof getter === 'function' ? getter(undefined) : undefined;
  for (const part of [...Object.values(entries ?? {}), wrapped, item, each, lazy]) below(part, found);
  for (const parts of [options, items, pipe]) if (Array.isArray(parts)) for (const part of parts) below(part, found);
  return found;
}

test('no list passes as an object of settings', () => {
  const objects = [...below(configSchema)].filter(({ type }) => type === 'strict_object' || type === 'record');
  expect(objects.length).toBeGreaterThan(60);
  const accepting = objects.filter((schema) => v.safeParse(schema, []).success);
  expect(accepting.map(({ entries }) => Object.keys(entries ?? {}))).toEqual([]);
});
