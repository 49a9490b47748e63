/**
 * Configurations: values that the schema of the Config allows, generated from the schema itself, so that a new setting
 * is fuzzed at once; the presets; and both with some entries replaced by odd values.
 */
import fc from 'fast-check';
import { configSchema } from '../../src/protocol/config';
import { gptLayers, PRESETS } from '../../src/protocol/presets';
import { oddName, oddNumber, oddValue } from './odd';

/** The parts of a valibot schema that this file reads. */
interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly unknown[];
  readonly items?: readonly Schema[];
  readonly item?: Schema;
  readonly literal?: unknown;
  readonly getter?: (input: unknown) => Schema;
  readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[];
}

/** Models of random layers are nested at most this deep. */
const DEPTH = 3;
/** Entries at most this deep are changed. */
const DEEPEST = 60;

function anyOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const bound = (kind: string, otherwise: number): number => {
    const found = schema.pipe?.find(({ type }) => type === kind)?.requirement;
    return typeof found === 'number' ? found : otherwise;
  };
  switch (schema.type) {
    case 'optional':
      return anyOf(schema.wrapped as Schema, depth);
    case 'lazy':
      return anyOf((schema.getter as (input: unknown) => Schema)(undefined), depth + 1);
    case 'strict_object': {
      const entries = Object.entries(schema.entries ?? {});
      return fc.record(Object.fromEntries(entries.map(([key, entry]) => [key, anyOf(entry, depth)])), {
        requiredKeys: entries.flatMap(([key, entry]) => (entry.type === 'optional' ? [] : [key])),
      });
    }
    case 'variant': {
      const all = (schema.options as readonly Schema[]).filter((one) => depth < DEPTH || !isNested(one));
      return fc.oneof(...all.map((one) => anyOf(one, depth)));
    }
    case 'union':
      return fc.oneof(...(schema.options as readonly Schema[]).map((one) => anyOf(one, depth)));
    case 'array': {
      const [minLength, maxLength] = [bound('min_length', 0), Math.min(4, bound('max_length', 4))];
      return fc.array(anyOf(schema.item as Schema, depth), { minLength, maxLength });
    }
    case 'strict_tuple':
      return fc.tuple(...(schema.items ?? []).map((item) => anyOf(item, depth)));
    case 'picklist':
      return fc.constantFrom(...(schema.options ?? []));
    case 'literal':
      return fc.constant(schema.literal);
    case 'boolean':
      return fc.boolean();
    case 'number':
      return numberOf(
        bound('min_value', 0),
        bound('max_value', 1e6),
        schema.pipe?.some(({ type }) => type === 'integer'),
      );
    default:
      return fc.oneof(fc.constantFrom('a', 'x.csv', '*.bias', '0.weight', 'blocks.0'), oddName);
  }
}

const isNested = ({ entries }: Schema): boolean => entries?.['layers'] !== undefined;

/** Mostly small numbers: large numbers are refused in the same way, and are slow to try. */
function numberOf(min: number, max: number, isWhole = false): fc.Arbitrary<number> {
  const small = Math.min(max, min + 8);
  const range = isWhole
    ? fc.integer({ min, max: small })
    : fc.double({ min, max: small, noNaN: true, noDefaultInfinity: true });
  return fc.oneof({ weight: 12, arbitrary: range }, { weight: 1, arbitrary: fc.constantFrom(min, max) });
}

const ofSchema = anyOf(configSchema as unknown as Schema);
const ofPreset = fc
  .tuple(fc.constantFrom(...Object.values(PRESETS).map(({ config }) => config)), ofSchema)
  // Model and data come from a preset, so they fit each other; the other settings come from the schema.
  .map(([{ model, data, loss }, rest]): unknown => ({ ...(rest as object), model, data, loss }));
const ofDefaults = ofSchema.map((value): unknown => {
  const {
    model: _m,
    data: _d,
    loss: _l,
    resume: _r,
    weights: _w,
    ...rest
  } = value as Readonly<Record<string, unknown>>;
  return rest;
});
/** Each setting is allowed by the schema; together the settings may be refused. */
export const validConfig = fc.oneof(ofSchema, ofPreset, ofDefaults);

/** Small models with data that fit them, for each kind of rows. */
const SMALL = [
  { data: { type: 'spiral', samples: 30 } },
  {
    data: { type: 'xor', samples: 30, testFraction: 0.1 },
    model: {
      layers: [
        { type: 'Linear', in: 2, out: 4 },
        { type: 'BatchNorm1d', features: 4 },
        {
          type: 'Residual',
          layers: [
            { type: 'Linear', in: 4, out: 4 },
            { type: 'Dropout', p: 0.3 },
          ],
        },
        { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] },
        { type: 'Linear', in: 4, out: 1 },
      ],
    },
  },
  {
    data: { type: 'shapes', samples: 30, size: 8 },
    loss: { type: 'CrossEntropyLoss' },
    model: {
      layers: [
        { type: 'Conv2d', in: 1, out: 2, kernel: 3, padding: 1 },
        { type: 'BatchNorm2d', features: 2 },
        { type: 'ReLU' },
        { type: 'MaxPool2d', kernel: 4 },
        { type: 'Flatten' },
        { type: 'Linear', in: 8, out: 6 },
      ],
    },
  },
  {
    data: { type: 'sequence', task: 'reverse', length: 3, symbols: 5, samples: 30 },
    loss: { type: 'CrossEntropyLoss' },
    model: { layers: gptLayers({ layers: 1, heads: 2, width: 8, vocab: 6, context: 6 }) },
  },
] as const;

const SETTINGS = Object.keys(configSchema.entries).filter(
  (key) => !['model', 'data', 'loss', 'resume', 'weights'].includes(key),
);
/** One of these models with a few settings that the schema allows: most of these configurations run. */
export const runnableConfig = fc
  .tuple(fc.constantFrom(...SMALL), ofSchema, fc.uniqueArray(fc.constantFrom(...SETTINGS), { maxLength: 6 }))
  .map(([start, all, names]): unknown => ({
    ...start,
    ...Object.fromEntries(Object.entries(all as object).filter(([key]) => names.includes(key))),
  }));

export interface Change {
  /** The index of the entry within the whole object, modulo the number of entries. */
  readonly entry: number;
  readonly how: 'replace' | 'remove' | 'rename' | 'add' | 'double';
  readonly name: string;
  readonly value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  entry: fc.nat(200),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'rename', 'add', 'double'),
  name: oddName,
  value: fc.oneof(oddValue, oddNumber),
});

/** A copy with changed entries. Entries are set as JSON.parse sets them: `__proto__` is a name like any other. */
export function changed(value: unknown, changes: readonly Change[]): unknown {
  return changes.reduce((now, one) => {
    let left = one.entry % Math.max(1, countEntries(now));
    const walk = (inner: unknown, depth = 0): unknown => {
      if (typeof inner !== 'object' || inner === null || depth > DEEPEST) return inner;
      const entries = Object.entries(inner).flatMap(([key, entry]): [string, unknown][] => {
        if (left-- !== 0) return [[key, walk(entry, depth + 1)]];
        if (one.how === 'remove') return [];
        if (one.how === 'rename') return [[one.name, entry]];
        if (one.how === 'add')
          return [
            [key, entry],
            [one.name, one.value],
          ];
        if (one.how === 'double')
          return [
            [key, entry],
            [`${key}x`, entry],
          ];
        return [[key, one.value]];
      });
      return Array.isArray(inner) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
    };
    return walk(now);
  }, value);
}

const countEntries = (value: unknown, depth = 0): number =>
  typeof value !== 'object' || value === null || depth > DEEPEST
    ? 0
    : Object.values(value).reduce((sum: number, inner) => sum + 1 + countEntries(inner, depth + 1), 0);

export const anyConfig = fc.oneof(
  { weight: 3, arbitrary: validConfig },
  {
    weight: 6,
    arbitrary: fc
      .tuple(validConfig, fc.array(change, { minLength: 1, maxLength: 4 }))
      .map(([value, changes]) => changed(value, changes)),
  },
  { weight: 1, arbitrary: oddValue },
);
