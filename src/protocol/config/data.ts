/** The data sets: drawn by a generator, made by a rule, or read from the user's files. */
import * as v from 'valibot';
import { count, LIMITS, real } from './fields';

/** Fraction of rows kept out of training, drawn as `random_split` draws it. */
const testFraction = v.optional(real(0, 0.9), 0);
const samples = (value: number) => v.optional(count(2, LIMITS.samples), value);
const toyFields = { samples: samples(500), noise: v.optional(real(0, 1), 0), testFraction };
const imageSize = (value: number) => v.optional(count(8, 64), value);

export const dataSchema = v.variant('type', [
  v.strictObject({ type: v.literal('circle'), ...toyFields }),
  v.strictObject({ type: v.literal('xor'), ...toyFields }),
  v.strictObject({ type: v.literal('gauss'), ...toyFields }),
  v.strictObject({ type: v.literal('spiral'), ...toyFields }),
  v.strictObject({ type: v.literal('plane'), ...toyFields }),
  /** `X = torch.randn(samples, in); y = torch.randn(samples, out)`: the random regression of the PyTorch tutorials. */
  v.strictObject({
    type: v.literal('randomRegression'),
    samples: samples(1000),
    in: v.optional(count(1, LIMITS.units), 10),
    out: v.optional(count(1, LIMITS.units), 1),
    testFraction,
  }),
  /**
   * One random prototype per class, and samples halfway between a prototype and noise; with `size`, images [1, size,
   * size].
   */
  v.strictObject({
    type: v.literal('prototypes'),
    samples: samples(1000),
    classes: v.optional(count(2, 1000), 10),
    features: v.optional(count(1, LIMITS.units), 64),
    /** Absent: flat rows of `features`. Given: images, and features is size * size. */
    size: v.optional(count(2, 64)),
    testFraction,
  }),
  /** Handwritten-looking digits, drawn as strokes by our own generator: images [1, size, size], classes 0 to 9. */
  v.strictObject({
    type: v.literal('digits'),
    samples: samples(2000),
    size: imageSize(28),
    noise: v.optional(real(0, 1), 0.1),
    testFraction: v.optional(real(0, 0.9), 0.2),
  }),
  /** Circle, square, triangle, cross, star, ring: images [1, size, size]. */
  v.strictObject({
    type: v.literal('shapes'),
    samples: samples(2000),
    size: imageSize(16),
    noise: v.optional(real(0, 1), 0.1),
    testFraction: v.optional(real(0, 0.9), 0.2),
  }),
  /** Images and labels in MNIST's format (IDX, also gzipped). */
  v.strictObject({ type: v.literal('idx'), images: v.string(), labels: v.string(), testFraction }),
  /** PNG images, one folder per class: a zip, or the files themselves by path. */
  v.strictObject({
    type: v.literal('png'),
    /** Name of a .zip; absent: every given file 'class/name.png'. */
    zip: v.optional(v.string()),
    /** Images are scaled to size x size. */
    size: imageSize(28),
    color: v.optional(v.boolean(), false),
    testFraction: v.optional(real(0, 0.9), 0.2),
  }),
  /** Token sequences made by a rule: input and target sequences of int32; target positions with -100 are ignored. */
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
  /** Text at character level: windows of `context` characters, the target one character on. */
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
  v.strictObject({
    type: v.literal('csv'),
    /** File name (page) or path relative to the configuration file (command line). */
    file: v.string(),
    /** Column name or 0-based index of the target; the last column when absent. */
    target: v.optional(v.union([v.string(), count(0, LIMITS.units)])),
    header: v.optional(v.picklist(['auto', 'yes', 'no']), 'auto'),
    testFraction,
  }),
  v.strictObject({ type: v.literal('npy'), inputs: v.string(), targets: v.string(), testFraction }),
]);

export type DataConfig = v.InferOutput<typeof dataSchema>;

/** Data sets of points in a plane, drawn by a generator, with `toyFields`. */
export const TOY_DATA = ['circle', 'xor', 'gauss', 'spiral', 'plane'] as const satisfies readonly DataConfig['type'][];
export type ToyData = (typeof TOY_DATA)[number];
