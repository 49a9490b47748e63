/**
 * Prototypes and text equal the data of PyTorch's training runs bit for bit; sequences, digits and shapes have their
 * documented properties.
 */
import { expect, test } from 'vitest';
import type { DataConfig, LossConfig } from '../../protocol/config';
import { sha256 } from '../../tensor/fixtures/decode';
import { Generator } from '../../tensor/generator';
import { checkTargets, checkTokens, type Dataset } from '../dataset';
import fixtures from '../fixtures/run-data.json';
import { makeDataset } from '../make-dataset';
import { OWN_TEXT } from './own-text';

const CE: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
const make = (config: DataConfig, seed = 0, files = {}): Dataset => makeDataset(config, CE, new Generator(seed), files);
test.each(fixtures.runs.map((run) => [run.name, run] as const))('%s: X and y of the PyTorch run', (_, run) => {
  const { spec } = run;
  const config: DataConfig =
    spec.kind === 'chars'
      ? { type: 'text', text: spec.text ?? '', context: spec.T ?? 0, testFraction: 0 }
      : {
          type: 'prototypes',
          samples: spec.n ?? 0,
          classes: spec.classes ?? 0,
          features: spec.dim ?? 0,
          ...(spec.size === undefined ? {} : { size: spec.size }),
          testFraction: 0,
        };
  const set = make(config, run.seed);
  expect([set.rows, ...set.inputShape]).toEqual(run.X_shape);
  expect([set.rows, ...set.targetShape]).toEqual(run.y_shape);
  expect([...set.inputs.subarray(0, 8)]).toEqual(run.X_head);
  expect(sha256(set.inputs)).toBe(run.X_sha256);
  expect(sha256(set.targets)).toBe(run.y_sha256);
  expect(set).toMatchObject(
    spec.kind === 'chars'
      ? { kind: 'tokens', inputType: 'i32', classes: 40 }
      : { kind: spec.size === undefined ? 'table' : 'image', inputType: 'f32', classes: spec.classes },
  );
});

test('text: windows of any stride, code points in order, line ends made one', () => {
  const set = make({ type: 'text', text: 'ab😀\r\nba', context: 3, stride: 1, testFraction: 0 });
  expect(set.vocabulary).toEqual(['\n', 'a', 'b', '😀']);
  expect([...set.inputs]).toEqual([1, 2, 3, 2, 3, 0, 3, 0, 2]);
  expect([...set.targets]).toEqual([2, 3, 0, 3, 0, 2, 0, 2, 1]);
  expect(make({ type: 'text', text: 'abcdefg', context: 2, testFraction: 0 }).rows).toBe(3);
  expect(make({ type: 'text', text: 'abcdef', context: 2, testFraction: 0 }).rows).toBe(2);
});

test('text: our own by default, or a file; too short, not UTF-8 or too large is refused', () => {
  const own = make({ type: 'text', context: 32, testFraction: 0 });
  expect(own.rows).toBe(Math.floor((OWN_TEXT.length - 1) / 32));
  expect(own.vocabulary?.every((character) => OWN_TEXT.includes(character))).toBe(true);
  const config: DataConfig = { type: 'text', file: 'my.txt', context: 4, testFraction: 0 };
  const file = (bytes: Uint8Array) => make(config, 0, { 'my.txt': bytes });
  expect(file(new TextEncoder().encode('\ufeffhello')).vocabulary).toEqual(['e', 'h', 'l', 'o']);
  expect(() => file(new TextEncoder().encode('four'))).toThrow(
    'my.txt: found 4 characters, expected at least 5 for one window of 4 and the character after it.',
  );
  expect(() => file(Uint8Array.of(0x61, 0x62, 0xe4, 0x63))).toThrow(
    'my.txt, byte 2: found bytes that are not UTF-8 (0xe4)',
  );
  expect(() => file(new Uint8Array(6 * 2 ** 20))).toThrow('my.txt: found 6.0 MiB, expected at most 5.0 MiB.');
  const long = 'ab'.repeat(100_000);
  expect(() => make({ type: 'text', text: long, context: 1024, stride: 1, testFraction: 0 })).toThrow(
    'data.type is "text": the data would take 777 MiB (198976 rows of 1024 elements); at most 256 MiB are allowed.',
  );
});

type SequenceConfig = Extract<DataConfig, { type: 'sequence' }>;
const sequence = (task: SequenceConfig['task'], options: Partial<SequenceConfig> = {}): Dataset =>
  make({ type: 'sequence', task, samples: 50, length: 5, symbols: 7, testFraction: 0, ...options });

/** Each row as its prompt and its answer in text; the answer is the targets at the positions that have one. */
function lines({ inputs, targets, rows, inputShape: [context = 0], vocabulary = [] }: Dataset): [string[], string[]][] {
  return Array.from({ length: rows }, (_, row) => {
    const input = [...inputs.subarray(row * context, (row + 1) * context)];
    const target = [...targets.subarray(row * context, (row + 1) * context)];
    const asked = target.findIndex((id) => id !== -100);
    // From the first answer token on, every position has a target: the next token of the input.
    expect(target.slice(asked, -1)).toEqual(input.slice(asked + 1));
    const words = (ids: number[]) => ids.map((id) => vocabulary[id] ?? '?');
    return [words(input.slice(0, asked + 1)), words(target.slice(asked))];
  });
}

test.each([
  ['reverse', (prompt: string[]) => prompt.toReversed()],
  ['copy', (prompt: string[]) => prompt],
  ['sort', (prompt: string[]) => prompt.toSorted((a, b) => Number(a) - Number(b))],
] as const)('sequence %s: the answer after the separator', (task, rule) => {
  const set = sequence(task, { symbols: 12 });
  expect(set).toMatchObject({ kind: 'tokens', inputType: 'i32', inputShape: [10], targetShape: [10], classes: 13 });
  for (const [prompt, answer] of lines(set)) {
    expect(prompt[5]).toBe('>');
    expect(answer).toEqual(rule(prompt.slice(0, 5)));
  }
});

test('sequence modularAddition and parity: one answer after the equals sign', () => {
  const sums = sequence('modularAddition', { length: 3 });
  expect(sums.inputShape).toEqual([6]);
  for (const [prompt, [answer, ...rest]] of lines(sums)) {
    expect(prompt.join(' ')).toMatch(/^\d \+ \d \+ \d =$/);
    const [a = 0, b = 0, c = 0] = prompt.filter((_, i) => i % 2 === 0).map(Number);
    expect([answer, rest]).toEqual([String((a + b + c) % 7), []]);
  }
  const bits = sequence('parity', { length: 9 });
  expect([bits.vocabulary, bits.inputShape]).toEqual([['0', '1', '='], [10]]);
  for (const [prompt, answer] of lines(bits))
    expect(answer).toEqual([String(prompt.filter((bit) => bit === '1').length % 2)]);
});

test.each([
  ['many possible', { length: 6, symbols: 10, samples: 300 }, 300],
  ['hardly more than asked', { length: 2, symbols: 7, samples: 40 }, 40],
  ['fewer than asked', { length: 2, symbols: 7, samples: 300 }, 49],
] as const)(
  'sequence: distinct problems where there are %s; the test part was never trained on',
  (_, options, rows) => {
    const set = sequence('reverse', { ...options, testFraction: 0.25 });
    expect([set.rows, set.test.length]).toEqual([rows, Math.floor(rows / 4)]);
    expect(new Set(lines(set).map(([prompt]) => prompt.join(' '))).size).toBe(rows);
    expect(sequence('reverse', { ...options, testFraction: 0.25 })).toEqual(set);
  },
);

test.each(['digits', 'shapes'] as const)('%s: gray images of balanced classes, the same for a seed', (type) => {
  const config = (size: number, noise: number): DataConfig => ({ type, samples: 60, size, noise, testFraction: 0.2 });
  const set = make(config(16, 0.1), 5);
  expect(set).toMatchObject({ kind: 'image', rows: 60, inputShape: [1, 16, 16], targetShape: [], inputType: 'f32' });
  expect(set.classNames?.length).toBe(set.classes);
  expect([...set.targets.subarray(0, set.classes)]).toEqual(Array.from({ length: set.classes }, (_, i) => i));
  expect(set.inputs.every((value) => value >= 0 && value <= 1)).toBe(true);
  expect([set.train.length, set.test.length]).toEqual([48, 12]);
  expect(make(config(16, 0.1), 5)).toEqual(set);
  expect(make(config(16, 0.1), 6).inputs).not.toEqual(set.inputs);
  const clean = make(config(64, 0), 5);
  for (let row = 0; row < 60; row++) {
    const image = clean.inputs.subarray(row * 4096, (row + 1) * 4096);
    const border = image.filter((_, i) => i % 64 === 0 || i % 64 === 63 || i < 64 || i >= 4032);
    const lit = image.filter((value) => value > 0.5).length / 4096;
    // Something is drawn, some background is left, and the figure is within the picture.
    expect(lit).toBeGreaterThan(0.02);
    expect(lit).toBeLessThan(0.6);
    expect(border.filter((value) => value > 0.5).length).toBeLessThan(20);
  }
});

test('images of one class are nearer to each other than to those of other classes', () => {
  const set = make({ type: 'digits', samples: 400, size: 16, noise: 0, testFraction: 0 });
  const mean = Array.from({ length: 10 }, () => new Float64Array(256));
  for (let i = 0; i < 300; i++)
    for (let j = 0; j < 256; j++)
      (mean[i % 10] as Float64Array)[j] = (mean[i % 10]?.[j] ?? 0) + (set.inputs[i * 256 + j] ?? 0) / 30;
  let right = 0;
  for (let i = 300; i < 400; i++) {
    const distances = mean.map((m) =>
      m.reduce((sum, value, j) => sum + (value - (set.inputs[i * 256 + j] ?? 0)) ** 2, 0),
    );
    right += distances.indexOf(Math.min(...distances)) === i % 10 ? 1 : 0;
  }
  // Guessing gives 10; the nearest mean should be better, but still a poor classifier.
  expect(right).toBeGreaterThan(55);
  expect(right).toBeLessThan(99);
});

test('losses that do not fit, sets that do not fit in memory, ids that the model does not have', () => {
  const digits: DataConfig = { type: 'digits', samples: 20, size: 8, noise: 0, testFraction: 0 };
  const bce: LossConfig = { type: 'BCEWithLogitsLoss', reduction: 'mean' };
  expect(() => makeDataset(digits, bce, new Generator(0), {})).toThrow(
    'data.type is "digits" and loss.type is "BCEWithLogitsLoss": the data have 10 classes',
  );
  const sort: DataConfig = { type: 'sequence', task: 'sort', samples: 9, length: 2, symbols: 3, testFraction: 0 };
  expect(() => makeDataset(sort, bce, new Generator(0), {})).toThrow(
    'the data ask for a token at each position, and the loss expects real targets',
  );
  expect(() => make({ ...digits, samples: 100_000, size: 64 })).toThrow('at most 256 MiB are allowed');
  const set = make(sort);
  expect(() => checkTargets(set, 4)).not.toThrow();
  expect(() => checkTargets(set, 2)).toThrow(
    /Target 2 is out of bounds\. Row \d, position \d \(counted from 0\) has this target/,
  );
  expect(() => checkTokens(set, 4)).not.toThrow();
  expect(() => checkTokens(set, 3)).toThrow(
    'index out of range in self. Row 0, position 2 (counted from 0) has the token 3',
  );
});
