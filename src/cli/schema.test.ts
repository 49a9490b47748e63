import { expect, it } from 'vitest';
import { DESCRIPTIONS } from './descriptions';
import { configJsonSchema } from './schema';

interface Found {
  readonly path: string;
  readonly description: unknown;
}

function properties(value: unknown, path = ''): Found[] {
  if (Array.isArray(value)) return value.flatMap((each) => properties(each, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'default') return [];
    if (key !== 'properties') return properties(inner, path);
    return Object.entries(inner as Record<string, { description?: unknown }>).flatMap(([name, property]) => [
      { path: `${path}.${name}`, description: property.description },
      ...properties(property, `${path}.${name}`),
    ]);
  });
}

it('describes every setting and describes nothing that is not there', () => {
  const found = properties(configJsonSchema());
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ description }) => description === undefined)).toEqual([]);
  const used = new Set(found.map(({ description }) => description));
  expect(Object.values(DESCRIPTIONS).filter((text) => !used.has(text))).toEqual([]);
});

it('keeps limits, defaults and strictness', () => {
  const schema = configJsonSchema();
  expect(schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: { worldSize: { type: 'integer', minimum: 1, maximum: 16, default: 4 }, mode: { default: 'single' } },
  });
  expect(schema['required'] ?? []).toEqual([]);
});

it('lets layers hold layers: they stand once, and are referred to', () => {
  const schema = configJsonSchema();
  const reference = { type: 'array', items: { $ref: '#/$defs/layer' } };
  expect(schema).toMatchObject({ properties: { model: { properties: { layers: reference } } } });
  const { layer } = schema['$defs'] as { layer: { oneOf: readonly { properties?: Record<string, unknown> }[] } };
  const residual = layer.oneOf.find(({ properties }) => properties?.['shortcut'] !== undefined);
  expect(residual?.properties).toMatchObject({ layers: reference, shortcut: reference });
  expect(JSON.stringify(schema).match(/"const":"MultiheadAttention"/g)).toHaveLength(1);
});
