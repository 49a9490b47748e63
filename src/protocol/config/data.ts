/**
 * The data sets: drawn by a generator, made by a rule, or read from the user's files. Each has its settings here and,
 * if Lockstep makes the rows itself, a name for the page and the shape of a row. The page's list, links and fitted
 * models read this table; data/families has the code that makes the rows, app/setup/thumbnail-points the pictures.
 */
import * as v from 'valibot';
import { image, type RowOfData, tokens, vector } from './data-row';
import { count, LIMITS, real } from './fields';
import type { LossConfig } from './loss';
import { DIGIT_CLASSES, differentCharacters, OWN_TEXT_VOCABULARY, SHAPE_NAMES, sequenceLines } from './rule-made';

type Settings = v.StrictObjectSchema<
  v.ObjectEntries & { readonly type: v.LiteralSchema<string, undefined> },
  undefined
>;
/** `loss` decides whether two classes are one column or two. Undefined if only the session knows the rows. */
type RowFrom<D> = (data: D, loss: LossConfig['type']) => RowOfData | undefined;

/** A data set that the page offers under a name. */
const made = <const S extends Settings>(settings: S, name: string, row: RowFrom<v.InferOutput<S>>) => ({
  settings,
  name,
  row: row as unknown as RowFrom<unknown>,
});
const inFiles = <const S extends Settings>(settings: S) => ({ settings });

/** Fraction of rows kept out of training, drawn as `random_split` draws it. */
const testFraction = v.optional(real(0, 0.9), 0);
const samples = (value: number) => v.optional(count(2, LIMITS.samples), value);
const imageSize = (value: number) => v.optional(count(8, 64), value);
const toyFields = { samples: samples(500), noise: v.optional(real(0, 1), 0), testFraction };

/** Points in a plane, drawn by a generator. */
const points = <const T extends string>(type: T, name: string, row: RowFrom<unknown>) => ({
  ...made(v.strictObject({ type: v.literal(type), ...toyFields }), name, row),
  points: true as const,
});

const twoClasses: RowFrom<unknown> = (_, loss) =>
  loss === 'CrossEntropyLoss' ? vector(2, 2, 'CrossEntropyLoss') : vector(2, 1, 'BCEWithLogitsLoss');

const DATA_SETS = [
  points('circle', 'Circle', twoClasses),
  points('xor', 'Exclusive or', twoClasses),
  points('gauss', 'Gaussians', twoClasses),
  points('spiral', 'Spiral', twoClasses),
  points('plane', 'Plane', () => vector(2, 1, 'MSELoss')),
  /** `X = torch.randn(samples, in); y = torch.randn(samples, out)`: the random regression of the PyTorch tutorials. */
  made(
    v.strictObject({
      type: v.literal('randomRegression'),
      samples: samples(1000),
      in: v.optional(count(1, LIMITS.units), 10),
      out: v.optional(count(1, LIMITS.units), 1),
      testFraction,
    }),
    'Random regression',
    (data) => vector(data.in, data.out, 'MSELoss'),
  ),
  /**
   * One random prototype per class, and samples halfway between a prototype and noise; with `size`, images [1, size,
   * size].
   */
  made(
    v.strictObject({
      type: v.literal('prototypes'),
      samples: samples(1000),
      classes: v.optional(count(2, 1000), 10),
      features: v.optional(count(1, LIMITS.units), 64),
      /** Absent: flat rows of `features`. Given: images, and features is size * size. */
      size: v.optional(count(2, 64)),
      testFraction,
    }),
    'Prototypes',
    ({ size, features, classes }) =>
      size === undefined ? vector(features, classes, 'CrossEntropyLoss') : image([1, size, size], classes),
  ),
  /** Handwritten-looking digits, drawn as strokes by our own generator: images [1, size, size], classes 0 to 9. */
  made(
    v.strictObject({
      type: v.literal('digits'),
      samples: samples(2000),
      size: imageSize(28),
      noise: v.optional(real(0, 1), 0.1),
      testFraction: v.optional(real(0, 0.9), 0.2),
    }),
    'Digits',
    ({ size }) => image([1, size, size], DIGIT_CLASSES),
  ),
  /** Circle, square, triangle, cross, star, ring: images [1, size, size]. */
  made(
    v.strictObject({
      type: v.literal('shapes'),
      samples: samples(2000),
      size: imageSize(16),
      noise: v.optional(real(0, 1), 0.1),
      testFraction: v.optional(real(0, 0.9), 0.2),
    }),
    'Shapes',
    ({ size }) => image([1, size, size], SHAPE_NAMES.length),
  ),
  /** Images and labels in MNIST's format (IDX, also gzipped). */
  inFiles(v.strictObject({ type: v.literal('idx'), images: v.string(), labels: v.string(), testFraction })),
  /** PNG images, one folder per class: a zip, or the files themselves by path. */
  inFiles(
    v.strictObject({
      type: v.literal('png'),
      /** Name of a .zip; absent: every given file 'class/name.png'. */
      zip: v.optional(v.string()),
      /** Images are scaled to size x size. */
      size: imageSize(28),
      color: v.optional(v.boolean(), false),
      testFraction: v.optional(real(0, 0.9), 0.2),
    }),
  ),
  /** Token sequences made by a rule: input and target sequences of int32; target positions with -100 are ignored. */
  made(
    v.strictObject({
      type: v.literal('sequence'),
      task: v.optional(v.picklist(['sort', 'reverse', 'copy', 'modularAddition', 'parity']), 'reverse'),
      /** Number of problems; fewer if the task has fewer, because each occurs once. */
      samples: samples(2000),
      /** Symbols to be sorted, reversed, copied; bits; numbers in modular addition (the modulus is `symbols`). */
      length: v.optional(count(1, 256), 6),
      symbols: v.optional(count(2, 512), 10),
      testFraction: v.optional(real(0, 0.9), 0.1),
    }),
    'Sequence task',
    (data) => {
      const { context, vocabulary } = sequenceLines(data);
      return tokens(context, vocabulary.length);
    },
  ),
  /** Text at character level: windows of `context` characters, the target one character on. */
  made(
    v.strictObject({
      type: v.literal('text'),
      /** A .txt file; absent: `text`, or a short built-in text. */
      file: v.optional(v.string()),
      text: v.optional(v.pipe(v.string(), v.minLength(2), v.maxLength(1_000_000))),
      context: v.optional(count(1, LIMITS.context), 32),
      /** Characters from one window's start to the next; absent: `context`, so that windows do not overlap. */
      stride: v.optional(count(1, LIMITS.context)),
      testFraction,
    }),
    'Text',
    ({ file, text, context }) =>
      file === undefined
        ? tokens(context, text === undefined ? OWN_TEXT_VOCABULARY : differentCharacters(text))
        : undefined,
  ),
  inFiles(
    v.strictObject({
      type: v.literal('csv'),
      /** File name (page) or path relative to the configuration file (command line). */
      file: v.string(),
      /** Column name or 0-based index of the target; the last column when absent. */
      target: v.optional(v.union([v.string(), count(0, LIMITS.units)])),
      header: v.optional(v.picklist(['auto', 'yes', 'no']), 'auto'),
      testFraction,
    }),
  ),
  inFiles(v.strictObject({ type: v.literal('npy'), inputs: v.string(), targets: v.string(), testFraction })),
] as const;

type DataSet = (typeof DATA_SETS)[number];
type SettingsOf<T extends readonly { readonly settings: Settings }[]> = {
  readonly [K in keyof T]: T[K]['settings'];
};

export const dataSchema = v.variant(
  'type',
  DATA_SETS.map(({ settings }) => settings) as unknown as SettingsOf<typeof DATA_SETS>,
);

export type DataConfig = v.InferOutput<typeof dataSchema>;

type TypeOf<S extends DataSet> = v.InferOutput<S['settings']>['type'];
/** The data sets that Lockstep makes itself. */
export type BuiltInData = TypeOf<Extract<DataSet, { readonly name: string }>>;
export type ToyData = TypeOf<Extract<DataSet, { readonly points: true }>>;

const typeOf = ({ settings }: DataSet) => settings.entries.type.literal;
const BUILT_IN = DATA_SETS.flatMap((set) => ('name' in set ? [set] : []));

/** In the order of the schema. */
export const BUILT_IN_DATA = BUILT_IN.map(typeOf) as readonly BuiltInData[];
export const isBuiltIn = (type: unknown): type is BuiltInData => BUILT_IN_DATA.some((known) => known === type);
export const isToyType = (type: DataConfig['type']): type is ToyData =>
  DATA_SETS.some((set) => 'points' in set && typeOf(set) === type);

/** The name on the page. */
export const dataName = (type: BuiltInData): string => BUILT_IN.find((set) => typeOf(set) === type)?.name ?? type;

/** One row of a data set, as far as it follows from the settings. */
export const rowOf: RowFrom<DataConfig> = (data, loss) =>
  BUILT_IN.find((set) => typeOf(set) === data.type)?.row(data, loss);
