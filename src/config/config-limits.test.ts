/**
 * Configurations that are far too much, and the words for whatever the schema can object to: ours, never its library's.
 */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { configSchema, layerSchema } from '../protocol/config';
import { configComplaints, settingNames } from './config-issue';
import { parsePart } from './issue-words';
import { parseConfig } from './parse-config';

function refusal(config: unknown): string {
  try {
    parseConfig(config);
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'config') return error.message;
    throw error;
  }
  throw new Error('accepted');
}

const nested = (depth: number, inner: unknown, wrap: (inner: unknown) => unknown): unknown =>
  Array.from({ length: depth }).reduce((value) => wrap(value), inner);
const residual = (inner: unknown) => ({ type: 'Residual', layers: [inner] });

describe('too deep', () => {
  test.each([
    ['residual blocks', { model: { layers: [nested(5000, { type: 'ReLU' }, residual)] } }, 'model.layers.0.layers.0.'],
    ['lists', { stragglers: nested(5000, 1, (inner) => [inner]) }, 'stragglers.0.0.0.'],
    ['an unknown setting', { [`x${'y'.repeat(1000)}`]: nested(5000, 1, (inner) => ({ inner })) }, 'xyyyyyyy'],
    ['the configuration itself', nested(5000, 1, (inner) => [inner]), '0.0.0.'],
  ])('%s', (_, config, place) => {
    const message = refusal(config);
    expect(message).toContain(place);
    expect(message).toContain('lists and objects are nested more than 64 deep');
    expect(message.length).toBeLessThan(300);
  });

  test('an object that contains itself', () => {
    const ring: Record<string, unknown> = { type: 'ReLU' };
    ring['layers'] = [ring];
    expect(refusal({ model: { layers: [ring] } })).toContain('nested more than 64 deep');
    const twice: unknown[] = [];
    twice.push(twice, twice);
    expect(refusal(twice)).toMatch(/nested more than 64 deep|more than 200,000 values/);
  });

  test('sixteen residual blocks in each other are fine', () => {
    const inner = { type: 'Linear', in: 2, out: 2 };
    const layers = [nested(16, inner, residual), { type: 'Linear', in: 2, out: 1 }];
    expect(parseConfig({ model: { layers } }).model.layers).toHaveLength(2);
  });
});

describe('too many', () => {
  test('complaints: the first ones, and how many more', () => {
    const message = refusal({
      stragglers: Array.from({ length: 5000 }, () => ({ type: 'rank', rank: -1, factor: 'x' })),
    });
    expect(message).toContain('stragglers.0.rank must be at least 0, not -1.');
    expect(message).toContain('And 9,992 more like these.');
    expect(message.length).toBeLessThan(1000);
  });

  test('values', () => {
    expect(refusal({ stragglers: Array.from({ length: 300_000 }, () => 1) })).toBe(
      'The configuration has more than 200,000 values.',
    );
  });

  test('characters of a name or of a value', () => {
    for (const config of [
      { ['x'.repeat(900_000)]: 1 },
      { mode: 'x'.repeat(900_000) },
      { data: { type: 'x'.repeat(900_000) } },
      { data: { type: 'text', text: 'x'.repeat(1_000_001) } },
    ])
      expect(refusal(config).length).toBeLessThan(600);
  });
});

describe('what is no JSON', () => {
  test.each([
    [{ steps: 5n }, 'steps must be a number, not the bigint 5.'],
    [{ steps: Number.NaN }, 'steps must be a number, not NaN.'],
    [{ batchSize: Number.POSITIVE_INFINITY }, 'batchSize must be a whole number, not Infinity.'],
    [{ mode: Symbol('ddp') }, 'not a symbol.'],
    [{ seed: () => 1 }, 'seed must be a number, not a function.'],
  ])('%o', (config, message) => expect(refusal(config)).toContain(message));
});

/** Everything that may complain: the kinds of schemas and of their actions. */
function kinds(schema: unknown, seen = new Map<unknown, string>()): ReadonlyMap<unknown, string> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return seen;
  const { type, kind, entries, options, wrapped, item, items, pipe } = schema as Readonly<Record<string, unknown>>;
  if (kind !== undefined) seen.set(schema, String(type));
  for (const inner of [...Object.values(entries ?? {}), wrapped, item, layerSchema]) kinds(inner, seen);
  for (const list of [options, items, pipe]) if (Array.isArray(list)) for (const inner of list) kinds(inner, seen);
  return seen;
}

test('every kind of schema error has a text of ours', () => {
  // These never complain by themselves.
  const silent = new Set(['optional', 'lazy', 'transform']);
  const types = [...new Set(kinds(configSchema).values())].filter((type) => !silent.has(type));
  expect(types).toContain('min_value');
  for (const type of types) {
    const issue = { kind: 'schema', type, input: 3, expected: '>=2', received: '3', message: 'Invalid type' } as const;
    const [text] = configComplaints([issue as unknown as v.BaseIssue<unknown>], settingNames(configSchema));
    expect(text, type).not.toMatch(/Invalid|Expected|another value/);
  }
});

test('a part that the page builds is refused with the same text', () => {
  const make = () => parsePart(layerSchema, { type: 'Linear', in: 8999, out: 2 }, 'The model');
  expect(make).toThrow('The model: in must be at most 8192, not 8999.');
  expect(make).toThrow(LockstepError);
  expect(v.safeParse(layerSchema, parsePart(layerSchema, { type: 'ReLU' }, 'The model')).success).toBe(true);
});
