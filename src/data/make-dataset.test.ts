/** Every data family: shapes, range, balance, targets for each loss, the split; and the reasons for refusing files. */
import { expect, test } from 'vitest';
import { type DataConfig, DEFAULT_CONFIG, dataSchema, type LossConfig } from '../protocol/config';
import { isBuiltIn } from '../protocol/config/data';
import { Generator } from '../tensor/generator';
import { allocate } from '../tensor/shape';
import { makeBatchSource } from './batch-source';
import { checkTargets } from './dataset';
import { MADE } from './families/made';
import { READ } from './families/read';
import { SPIRAL } from './families/spiral';
import { gatherRows } from './gather-rows';
import { makeDataset } from './make-dataset';
import { writeNpy } from './readers/npy';

const MSE: LossConfig = { type: 'MSELoss', reduction: 'mean' };
const CE: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
const BCE: LossConfig = { type: 'BCEWithLogitsLoss', reduction: 'mean' };
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

test.each(dataSchema.options.map(({ entries }) => entries.type.literal))('%s has one file in families', (type) => {
  const families = isBuiltIn(type) ? [SPIRAL, ...MADE] : READ;
  expect(families.filter((family) => family.type === type)).toHaveLength(1);
});

test('a PyTorch script can make every data set of Lockstep, except the drawn pictures', () => {
  expect(MADE.filter(({ torch }) => torch === undefined).map(({ type }) => type)).toEqual(['digits', 'shapes']);
});

const CLASSIFICATION = ['circle', 'xor', 'gauss', 'spiral'] as const;
const toy = (type: (typeof CLASSIFICATION)[number] | 'plane', noise = 0, testFraction = 0): DataConfig => ({
  type,
  samples: 200,
  noise,
  testFraction,
});

test.each(CLASSIFICATION)('%s: two balanced classes inside the square, a target for each loss', (type) => {
  for (const noise of [0, 0.3]) {
    const set = makeDataset(toy(type, noise), BCE, new Generator(3), {});
    expect(set).toMatchObject({ task: 'classification', rows: 200, classes: 2, inputShape: [2], targetShape: [1] });
    const inside = set.inputs.filter((value) => Math.abs(value) <= 1.05).length / set.inputs.length;
    expect(inside).toBeGreaterThan(type === 'gauss' ? 0.9 : 0.999);
    const positive = Float32Array.from(set.targets).reduce((sum, target) => sum + target, 0) / 200;
    expect(Math.abs(positive - 0.5)).toBeLessThan(0.12);

    const indices = makeDataset(toy(type, noise), CE, new Generator(3), {});
    expect(indices.targets).toEqual(Int32Array.from(set.targets));
    expect(indices.targetShape).toEqual([]);
    const signs = makeDataset(toy(type, noise), MSE, new Generator(3), {});
    expect(signs.targets).toEqual(Float32Array.from(set.targets, (target) => 2 * target - 1));
    expect(signs.task).toBe('classification');
  }
});

test.each(['circle', 'gauss', 'spiral'] as const)('%s: classes alternate, so a batch in order is balanced', (type) => {
  const { targets } = makeDataset(toy(type), CE, new Generator(0), {});
  expect([...targets.subarray(0, 6)]).toEqual([1, 0, 1, 0, 1, 0]);
});

test('xor without noise is the script of the fixtures; noise relabels points near the axes', () => {
  const clean = makeDataset(toy('xor'), BCE, new Generator(5), {});
  const g = new Generator(5);
  expect(clean.inputs).toEqual(g.rand(400).map((u) => u * 2 - 1));
  const noisy = makeDataset(toy('xor', 0.5), BCE, new Generator(5), {});
  expect(noisy.inputs).toEqual(clean.inputs);
  expect(noisy.targets).not.toEqual(clean.targets);
});

test('plane: real targets in [-1, 1]; a loss for classes is refused', () => {
  const set = makeDataset(toy('plane'), MSE, new Generator(0), {});
  expect(set).toMatchObject({ task: 'regression', classes: 0, targetShape: [1] });
  expect(Math.max(...set.targets.map(Math.abs))).toBeLessThanOrEqual(1);
  expect(() => makeDataset(toy('plane'), CE, new Generator(0), {})).toThrow(
    'loss.type is "CrossEntropyLoss": the data have real targets, and the loss expects class indices',
  );
  expect(() => makeDataset(toy('plane'), BCE, new Generator(0), {})).toThrow('the loss expects targets from 0 to 1');
});

test('randomRegression draws inputs, then targets', () => {
  const config: DataConfig = { type: 'randomRegression', samples: 20, in: 3, out: 2, testFraction: 0 };
  const set = makeDataset(config, MSE, new Generator(1), {});
  const g = new Generator(1);
  expect(set.inputs).toEqual(g.randn(60));
  expect(set.targets).toEqual(g.randn(40));
  expect(set.targetShape).toEqual([2]);
});

test('the split is one permutation after the data, train part first; without it nothing is drawn', () => {
  const g = new Generator(4);
  const set = makeDataset(toy('spiral', 0, 0.25), BCE, g, {});
  const order = new Generator(4).randperm(200);
  expect(set.train).toEqual(order.slice(0, 150));
  expect(set.test).toEqual(order.slice(150));
  const h = new Generator(4);
  const whole = makeDataset(toy('spiral'), BCE, h, {});
  expect([whole.train.length, whole.test.length]).toEqual([200, 0]);
  expect(h.random()).toBe(new Generator(4).random());
});

const csv = (text: string, options: Partial<Extract<DataConfig, { type: 'csv' }>> = {}, l: LossConfig = MSE) =>
  makeDataset({ type: 'csv', file: 'my.csv', header: 'auto', testFraction: 0, ...options }, l, new Generator(0), {
    'my.csv': utf8(text),
  });

test('csv: header detected or given, target by position or name', () => {
  const plain = csv('1,2,3\n4,5,6\n');
  expect([plain.rows, [...plain.inputs], [...plain.targets], plain.columns]).toEqual([
    2,
    [1, 2, 4, 5],
    [3, 6],
    undefined,
  ]);
  const named = csv('x;y;z\n1;2;3\n4;5;6\n', { target: 'y' });
  expect([[...named.inputs], [...named.targets], named.columns]).toEqual([
    [1, 3, 4, 6],
    [2, 5],
    ['x', 'y', 'z'],
  ]);
  expect([...csv('1,2,3\n4,5,6\n', { target: 0 }).targets]).toEqual([1, 4]);
  expect(csv('2019,x\n1,2\n3,4\n', { target: 'x' }).rows).toBe(2);
  expect(csv('2019,2020\n1,2\n3,4\n', { header: 'yes' }).columns).toEqual(['2019', '2020']);
  expect(csv('5.1,3.5,setosa\n7.0,3.2,virginica\n', {}, CE).rows).toBe(2);
});

test('csv: class labels in order of appearance, whole numbers as they are', () => {
  const words = csv('a,b,kind\n1,2,cat\n3,4,dog\n5,6,cat\n7,8,emu\n', {}, CE);
  expect([[...words.targets], words.classes, words.classNames]).toEqual([[0, 1, 0, 2], 3, ['cat', 'dog', 'emu']]);
  const numbers = csv('1,2\n3,0\n5,2\n', {}, CE);
  expect([[...numbers.targets], numbers.classes]).toEqual([[2, 0, 2], 3]);
  expect([...csv('1,no\n3,yes\n5,no\n', {}, BCE).targets]).toEqual([0, 1, 0]);
  expect([...csv('1,0.25\n3,1\n', {}, BCE).targets]).toEqual([0.25, 1]);
  expect(() => csv('1,a\n2,b\n3,c\n', {}, BCE)).toThrow(
    'line 3, column 2: found "c", the third of 3 classes ("a", "b", "c"), expected two for BCEWithLogitsLoss',
  );
  for (const loss of [BCE, CE]) {
    expect(() => csv('x,y\n1,0\n2,\n3,1\n', {}, loss)).toThrow(
      'line 3, column 2 (y): found nothing, expected a target.',
    );
  }
});

test.each([
  ['a word', 'x,y\n1,2\n3,abc\n', {}, 'my.csv, line 3, column 2 (y): found "abc", expected a number.'],
  ['an empty cell', '1,2\n,4\n', {}, 'my.csv, line 2, column 1: found nothing, expected a number.'],
  ['nan', '1,2\nnan,4\n', {}, 'my.csv, line 2, column 1: found "nan", expected a number.'],
  ['hexadecimal', '1,2\n0x10,4\n', {}, 'found "0x10"'],
  ['too large', '1,2\n1e39,4\n', {}, 'found "1e39", expected a number that float32 can hold'],
  ['ragged', '1,2\n3,4\n5\n', {}, 'my.csv, line 3: found 1 column, expected 2'],
  ['two columns of that name', 'y,y\n1,2\n3,4\n', { target: 'y' }, 'found the name "y" more than once'],
  ['a single column', '1\n2\n', {}, 'my.csv, line 1: found a single column'],
  ['a header alone', 'x,y\n', {}, 'my.csv: found 0 rows of data, expected at least 2.'],
  ['blank', '\n\n', {}, 'my.csv: found only blank lines'],
  ['empty', '', {}, 'my.csv: found an empty file'],
  ['unknown target', 'x,y\n1,2\n3,4\n', { target: 'z' }, 'found no column named "z"'],
  ['target past the end', '1,2\n3,4\n', { target: 2 }, 'found target column 2, expected an index from 0 to 1'],
  ['missing', '1,2\n3,4\n', { file: 'other.csv' }, 'other.csv: found no such file'],
  ['not named', '1,2\n3,4\n', { file: '' }, 'No data file is named.'],
])('csv refused: %s', (_, text, options, message) => {
  expect(() => csv(text, options)).toThrow(message);
});

const npy = (x: Uint8Array<ArrayBuffer>, y: Uint8Array<ArrayBuffer>, l: LossConfig) =>
  makeDataset({ type: 'npy', inputs: 'x.npy', targets: 'y.npy', testFraction: 0 }, l, new Generator(0), {
    'x.npy': x,
    'y.npy': y,
  });

test('npy: inputs and targets by loss', () => {
  const x = writeNpy(new Float32Array([1, 2, 3, 4, 5, 6]), [2, 3]);
  expect(npy(x, writeNpy(new Int32Array([0, 4]), [2]), CE)).toMatchObject({
    inputShape: [3],
    classes: 5,
    targetShape: [],
  });
  expect(npy(x, writeNpy(new Float32Array([0.5, 4]), [2]), MSE)).toMatchObject({
    task: 'regression',
    targetShape: [1],
  });
  expect(npy(x, writeNpy(new Int32Array([0, 1]), [2, 1]), BCE).targets).toEqual(new Float32Array([0, 1]));
  expect(npy(x, writeNpy(new Float32Array([1, 2, 3, 4]), [2, 2]), MSE).targetShape).toEqual([2]);
  const images = writeNpy(new Float32Array(24).fill(0.5), [2, 3, 2, 2]);
  expect(npy(images, writeNpy(new Int32Array([0, 1]), [2]), CE)).toMatchObject({
    kind: 'image',
    inputShape: [3, 2, 2],
    rows: 2,
  });
});

test('npy refused: shapes and dtypes that do not fit', () => {
  const x = writeNpy(new Float32Array(6), [2, 3]);
  const y = writeNpy(new Float32Array(2), [2]);
  expect(() => npy(writeNpy(new Float32Array(8), [2, 2, 2]), y, MSE)).toThrow('x.npy: found shape (2, 2, 2)');
  expect(() => npy(x, writeNpy(new Float32Array(3), [3]), MSE)).toThrow(
    'y.npy: found shape (3), expected 2 rows as in x.npy',
  );
  expect(() => npy(x, y, CE)).toThrow('y.npy: found dtype <f4, expected integers');
  expect(() => npy(x, writeNpy(new Int32Array(4), [2, 2]), CE)).toThrow('expected one class index per row');
});

test('class indices that the model does not have are refused, with the first wrong row', () => {
  const set = csv('1,0\n3,7\n', {}, CE);
  expect(() => checkTargets(set, 5)).toThrow(
    'Target 7 is out of bounds. Row 1 (counted from 0) has this target; the model has 5 outputs, for the classes 0 to 4.',
  );
  expect(() => checkTargets(set, 8)).not.toThrow();
  const indices = (values: number[]) =>
    npy(writeNpy(new Float32Array(6), [3, 2]), writeNpy(Int32Array.from(values), [3]), CE);
  expect(() => checkTargets(indices([0, 1, -1]), 2)).toThrow('Target -1 is out of bounds. Row 2');
  // ignore_index marks rows that the loss leaves out.
  expect(() => checkTargets(indices([0, -100, 1]), 2)).not.toThrow();
  // Real targets have no classes.
  expect(() => checkTargets(csv('1,0\n3,-1\n', { header: 'no' }, MSE), 1)).not.toThrow();
});

/** One of each kind: points, images, tokens, a table; wide and narrow rows, float32 and int32. */
const KINDS: DataConfig[] = [
  { type: 'spiral', samples: 23, noise: 0, testFraction: 0.3 },
  { type: 'digits', samples: 23, size: 8, noise: 0.1, testFraction: 0.3 },
  { type: 'sequence', task: 'sort', samples: 23, length: 4, symbols: 9, testFraction: 0.3 },
  { type: 'text', context: 40, testFraction: 0.3 },
  { type: 'prototypes', samples: 23, classes: 3, features: 7, testFraction: 0.3 },
];
test.each(KINDS.map((config) => [config.type, config] as const))(
  '%s: split, shuffled, with and without its short batch, gathered row by row',
  (_, data) => {
    const dataset = makeDataset(data, CE, new Generator(9), {});
    const { train, rows, inputShape, targetShape } = dataset;
    expect([...train, ...dataset.test].toSorted((a, b) => a - b)).toEqual(Array.from({ length: rows }, (__, i) => i));
    expect(dataset.test.length).toBe(Math.floor(rows * 0.3));
    for (const dropLast of [false, true]) {
      const config = { ...DEFAULT_CONFIG, mode: 'single' as const, batchSize: 5, shuffle: true, dropLast };
      const source = makeBatchSource({ config, dataset, generator: new Generator(1), processes: 1 });
      const whole = Math.floor(train.length / 5);
      expect(source.batchesPerEpoch).toBe(dropLast || train.length % 5 === 0 ? whole : whole + 1);
      const epoch = Array.from({ length: source.batchesPerEpoch }, () => source.next().rows[0] ?? new Int32Array());
      const seen = epoch.flatMap((batch) => [...batch]);
      expect(new Set(seen).size).toBe(dropLast ? 5 * whole : train.length);
      expect(seen.every((row) => train.includes(row))).toBe(true);
      expect(seen).not.toEqual([...train.subarray(0, seen.length)]);
      for (const batch of epoch) {
        for (const [values, shape] of [
          [dataset.inputs, inputShape],
          [dataset.targets, targetShape],
        ] as const) {
          const width = shape.reduce((n, d) => n * d, 1);
          const target = allocate(values instanceof Int32Array ? 'i32' : 'f32', batch.length * width);
          gatherRows(values, width, batch, target);
          expect([...target]).toEqual(
            [...batch].flatMap((row) => [...values.subarray(row * width, (row + 1) * width)]),
          );
        }
      }
    }
  },
);

test('gather copies the named rows', () => {
  const set = csv('1,2,10\n3,4,20\n5,6,30\n');
  const batch = new Int32Array([2, 0, 1]);
  const inputs = new Float32Array(4);
  gatherRows(set.inputs, 2, batch.subarray(1), inputs);
  expect([...inputs]).toEqual([1, 2, 3, 4]);
  const targets = new Float32Array(2);
  gatherRows(set.targets, 1, batch.subarray(0, 2), targets);
  expect([...targets]).toEqual([30, 10]);
  expect(() => gatherRows(set.targets, 1, batch, targets)).toThrow('3 rows of 1 elements do not fill 2');
});
