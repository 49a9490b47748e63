/** Limits of the configuration, and the kinds of number that its schemas use. */
import * as v from 'valibot';

export const LIMITS = {
  worldSize: 64,
  /** Ranks in workers: each has a thread, and a port to every other rank. */
  workers: 16,
  /** Ranks of a single collective, in the lab and in `lockstep collectives`. */
  collective: 16,
  layers: 32,
  units: 8192,
  /** Rows of an embedding, and outputs of the layer that predicts tokens. */
  vocabulary: 65_536,
  batchSize: 8192,
  samples: 100_000,
  context: 1024,
} as const;

export const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
export const real = (min: number, max: number) => v.pipe(v.number(), v.finite(), v.minValue(min), v.maxValue(max));

/** One number for both directions, or [height, width], as torch takes it. */
export const pair = (min: number, max: number) =>
  v.union([count(min, max), v.strictTuple([count(min, max), count(min, max)])]);

export type NumberOrPair = number | readonly [number, number];
export const asPair = (p: NumberOrPair): readonly [number, number] => (typeof p === 'number' ? [p, p] : p);

/** The schema, except that it refuses lists: to valibot every list is an object, and an empty list one of defaults. */
export const noList = <S extends v.GenericSchema>(schema: S): S => ({
  ...schema,
  '~run': (...[value, config]: Parameters<S['~run']>) => {
    if (!Array.isArray(value.value)) return schema['~run'](value, config);
    v._addIssue(schema, 'type', value, config);
    return value;
  },
});

/** An object of settings. */
export const settings = <const E extends v.ObjectEntries>(entries: E) => noList(v.strictObject(entries));
