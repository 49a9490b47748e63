/**
 * The decision field of a model with two inputs: its output on a grid over [-1, 1]^2, some rows of the grid at a time.
 * Made by snapshots.
 */
import { FIELD_SIZE } from '../../protocol/snapshot';
import { elements } from '../../tensor/shape';
import type { Blueprint } from '../../training/blueprint';
import { createEvaluator, type ModelState } from '../evaluator';
import { affordableRows } from '../measure';
import { CHUNK_NS, type Slices } from './slices';

/** The possible numbers of grid rows per evaluation. */
const DIVISORS = [48, 24, 12, 6, 3].filter((rows) => FIELD_SIZE % rows === 0);

/** Undefined if rows are not points of the plane. */
export function createFieldView(blueprint: Blueprint): ((state: ModelState) => Slices<Float32Array>) | undefined {
  const { dataset, input } = blueprint;
  if (elements(dataset.inputShape) !== 2 || dataset.inputType !== 'f32') return undefined;
  const affordable = affordableRows(input, CHUNK_NS);
  const chunk = FIELD_SIZE * (DIVISORS.find((rows) => FIELD_SIZE * rows <= affordable) ?? 1);
  const evaluator = createEvaluator(input, chunk);
  const grid = fieldGrid();
  return function* slices(state) {
    const field = new Float32Array(FIELD_SIZE * FIELD_SIZE);
    for (let start = 0; start < field.length; start += chunk) {
      const { outputs, outputWidth } = evaluator.run(state, grid.subarray(2 * start, 2 * (start + chunk)));
      field.set(fieldValues(blueprint, outputs, outputWidth), start);
      yield evaluator.costNs;
    }
    return field;
  };
}

/** Row 0 at the top, cell centres. */
function fieldGrid(): Float32Array {
  const grid = new Float32Array(FIELD_SIZE * FIELD_SIZE * 2);
  const centre = (i: number) => (2 * (i + 0.5)) / FIELD_SIZE - 1;
  for (let row = 0; row < FIELD_SIZE; row++) {
    for (let column = 0; column < FIELD_SIZE; column++)
      grid.set([centre(column), -centre(row)], 2 * (row * FIELD_SIZE + column));
  }
  return grid;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Probability of class 1 in classification; the first output otherwise. */
function fieldValues({ config, dataset }: Blueprint, outputs: Float32Array, width: number): Float32Array {
  return Float32Array.from({ length: outputs.length / width }, (_, i) => {
    const first = outputs[i * width] ?? 0;
    if (dataset.task === 'regression') return first;
    if (config.loss.type === 'BCEWithLogitsLoss') return sigmoid(first);
    if (config.loss.type === 'CrossEntropyLoss' || config.loss.type === 'NLLLoss')
      return sigmoid((outputs[i * width + 1] ?? 0) - first);
    return Math.min(1, Math.max(0, (first + 1) / 2));
  });
}
