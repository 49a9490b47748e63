import { expect, it } from 'vitest';
import { ALL_WORDS } from '../protocol/words/words-of';
import { configJsonSchema } from './schema';

interface Found {
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** Every property of every variant. */
function properties(value: unknown, path = ''): Found[] {
  if (Array.isArray(value)) return value.flatMap((each) => properties(each, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'default') return [];
    if (key !== 'properties') return properties(inner, path);
    return Object.entries(inner as Record<string, { title?: string; description?: string }>).flatMap(
      ([name, property]) => [
        { path: `${path}.${name}`, title: property.title ?? '', description: property.description ?? '' },
        ...properties(property, `${path}.${name}`),
      ],
    );
  });
}

const found = properties(configJsonSchema());
const LONGEST = { title: 28, description: 240 };

it('has a title and a description for every setting', () => {
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ title, description }) => !title || !description)).toEqual([]);
});

it('keeps both short', () => {
  const long = found.filter(
    ({ title, description }) => title.length > LONGEST.title || description.length > LONGEST.description,
  );
  expect(long).toEqual([]);
});

it('has no words for a setting that does not exist', () => {
  const used = new Set(found.map(({ description }) => description));
  expect(ALL_WORDS.filter(({ description }) => !used.has(description))).toEqual([]);
});

it('keeps limits, defaults and strictness', () => {
  const schema = configJsonSchema();
  expect(schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: { worldSize: { type: 'integer', minimum: 1, maximum: 64, default: 4 }, mode: { default: 'single' } },
  });
  expect(schema['required'] ?? []).toEqual([]);
});

it('layers may contain layers: the schema defines them once and refers to them', () => {
  const schema = configJsonSchema();
  const reference = { type: 'array', items: { $ref: '#/$defs/layer' } };
  expect(schema).toMatchObject({ properties: { model: { properties: { layers: reference } } } });
  const { layer } = schema['$defs'] as { layer: { oneOf: readonly { properties?: Record<string, unknown> }[] } };
  const residual = layer.oneOf.find(({ properties }) => properties?.['shortcut'] !== undefined);
  expect(residual?.properties).toMatchObject({ layers: reference, shortcut: reference });
  expect(JSON.stringify(schema).match(/"const":"MultiheadAttention"/g)).toHaveLength(1);
});
