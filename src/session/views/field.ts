/** The decision field of a model with two inputs: what it says on a grid over [-1, 1]^2. Made by snapshots. */
import { FIELD_SIZE } from '../../protocol/session';
import { elements } from '../../tensor/shape';
import type { Blueprint } from '../blueprint';
import { createEvaluator, type ModelState } from '../evaluator';

/** Undefined where a row is no point of the plane. */
export function createField(blueprint: Blueprint): ((state: ModelState) => Float32Array) | undefined {
  const { dataset, input } = blueprint;
  if (elements(dataset.inputShape) !== 2 || dataset.inputType !== 'f32') return undefined;
  const evaluator = createEvaluator(input, FIELD_SIZE * FIELD_SIZE);
  const grid = fieldGrid();
  return (state) => {
    const { outputs, outputWidth } = evaluator.run(state, grid);
    return fieldValues(blueprint, outputs, outputWidth);
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
