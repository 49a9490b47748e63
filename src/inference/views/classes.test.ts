/**
 * A linear model with known weights that reads one pixel, so that matrix, mistakes and probabilities can be computed by
 * hand.
 */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../../training/blueprint';
import { createSnapshots } from '../snapshot';
import { argmax, softmax } from './argmax';
import { confusion } from './confusion';

const images: ConfigInput = {
  device: 'cpu',
  model: { layers: [{ type: 'Flatten' }, { type: 'Linear', in: 64, out: 10 }] },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'digits', size: 8, samples: 50, testFraction: 0.4 },
};

test('argmax: the first of equals, none where a value is NaN; softmax as torch has it', () => {
  const values = Float32Array.of(9, 1, 3, 3, Number.NaN);
  expect(argmax(values, 1, 3)).toBe(1);
  expect(argmax(values, 2, 3)).toBe(-1);
  expect(Array.from(softmax(values, 1, 2))).toEqual([-2, 2].map((x) => Math.fround(1 / (1 + Math.exp(-x)))));
  expect(at(softmax(values, 1, 2, 0.5), 0)).toBeCloseTo(1 / (1 + Math.exp(4)), 6);
});

test('a matrix counted by hand: rows are targets; ignored rows and rows without an answer count nowhere', () => {
  const nan = Number.NaN;
  const outputs = Float32Array.of(5, 0, 0, 5, 0, 5, 5, 0, nan, nan, 5, 0);
  const targets = Int32Array.of(0, 0, 1, 1, 1, -100);
  const rows = Int32Array.of(3, 1, 4, 0, 5, 9);
  expect(confusion({ rows, of: 'test', outputs, width: 2, targets, ignoreIndex: -100 })).toEqual({
    counts: Uint32Array.of(1, 1, 1, 1),
    rows: 4,
    of: 'test',
  });
});

test('a model that says 7 whatever it sees: one column, and nine tenths of the images are mistakes, each once', () => {
  const blueprint = createBlueprint(parseConfig(images), {});
  const bias = new Float32Array(10);
  bias[7] = 2;
  const state = new Map([
    ['1.weight', new Float32Array(640)],
    ['1.bias', bias],
  ]);
  const { dataset } = blueprint;
  const snapshot = createSnapshots(blueprint).take({ microBatch: 0, devices: [state], reference: undefined });
  const { counts, rows, of } = snapshot.confusion ?? { counts: [], rows: 0, of: undefined };
  expect([rows, of]).toEqual([20, 'test']);
  const labels = Array.from(dataset.test, (row) => at(dataset.targets, row));
  for (let label = 0; label < 10; label++) {
    expect(counts[10 * label + 7]).toBe(labels.filter((own) => own === label).length);
  }
  expect(Array.from(counts).reduce((a, b) => a + b, 0)).toBe(20);
  const wrong = Array.from(dataset.test).filter((row) => dataset.targets[row] !== 7);
  expect(snapshot.misclassified.map(({ row }) => row).sort((a, b) => a - b)).toEqual(wrong.sort((a, b) => a - b));
  for (const image of snapshot.misclassified) {
    expect(image).toMatchObject({ predicted: 7, label: dataset.targets[image.row], shape: [1, 8, 8] });
    expect(image.probability).toBeCloseTo(Math.exp(2) / (Math.exp(2) + 9), 6);
    const pixels = dataset.inputs.subarray(64 * image.row, 64 * image.row + 64);
    expect(image.pixels).toEqual(Uint8Array.from(pixels, (value) => Math.round(255 * Math.min(1, Math.max(0, value)))));
  }
  expect(snapshot.testAccuracy).toBeCloseTo(1 - wrong.length / 20, 6);
});

test('the mistakes with the highest probability first, at most 24', () => {
  const blueprint = createBlueprint(
    parseConfig({ ...images, data: { ...images.data, type: 'digits', samples: 200 } }),
    {},
  );
  const state = new Map(blueprint.parameters.map(({ name, data }) => [name, data]));
  const { misclassified } = createSnapshots(blueprint).take({ microBatch: 0, devices: [state], reference: undefined });
  expect(misclassified).toHaveLength(24);
  const probabilities = misclassified.map(({ probability }) => probability);
  expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
});

test('weights that are not numbers: no answer, no mistake, no crash', () => {
  const blueprint = createBlueprint(parseConfig(images), {});
  const state = new Map(blueprint.parameters.map(({ name, data }) => [name, data.map(() => Number.NaN)]));
  const snapshot = createSnapshots(blueprint).take({ microBatch: 0, devices: [state], reference: undefined });
  expect(snapshot.confusion?.rows).toBe(0);
  expect(snapshot.misclassified).toEqual([]);
  expect(snapshot.testAccuracy).toBe(0);
});
