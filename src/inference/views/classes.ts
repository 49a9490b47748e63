/**
 * Confusion matrix and misclassified images from test rows (without test rows, from training rows), chunk by chunk.
 * Made by snapshots for data with one class per row.
 */
import type { Confusion, Misclassified } from '../../protocol/snapshot';
import type { Blueprint } from '../../training/blueprint';
import { ignoreIndexOf } from '../accuracy';
import { createEvaluator, type Evaluator, type ModelState } from '../evaluator';
import { affordableRows, gather } from '../measure';
import { confusion } from './confusion';
import { imageReader } from './images';
import { misclassified } from './misclassified';
import { CHUNK_NS, type Slices, WHOLE_NS } from './slices';

const MOST_ROWS = 1000;
/** A matrix of more classes would be unreadable. */
const MOST_CLASSES = 200;

export interface ClassesView {
  readonly confusion: Confusion | undefined;
  readonly misclassified: readonly Misclassified[];
}

export function createClassesView(blueprint: Blueprint): ((state: ModelState) => Slices<ClassesView>) | undefined {
  const { dataset, input, config } = blueprint;
  if (!(dataset.targets instanceof Int32Array) || dataset.targetShape.length > 0) return undefined;
  const image = imageReader(dataset);
  const of = dataset.test.length > 0 ? 'test' : 'train';
  const rows = dataset[of].subarray(0, Math.min(MOST_ROWS, affordableRows(input, WHOLE_NS)));
  const chunk = Math.min(rows.length, affordableRows(input, CHUNK_NS));
  const { targets } = gather(blueprint, rows);
  let made: Evaluator | undefined;
  return function* slices(state) {
    made ??= createEvaluator(input, chunk);
    let outputs = new Float32Array();
    for (let start = 0; start < rows.length; start += chunk) {
      // The evaluator needs a full chunk, so the last chunk begins earlier.
      const from = Math.max(0, Math.min(start, rows.length - chunk));
      const { inputs } = gather(blueprint, rows.subarray(from, from + chunk));
      const own = made.run(state, inputs);
      if (start === 0) outputs = new Float32Array(rows.length * own.outputWidth);
      outputs.set(own.outputs, from * own.outputWidth);
      yield made.costNs;
    }
    const width = outputs.length / rows.length;
    const classified = { rows, of, outputs, width, targets, ignoreIndex: ignoreIndexOf(config.loss) } as const;
    return {
      confusion: width <= MOST_CLASSES ? confusion(classified) : undefined,
      misclassified: image ? misclassified(classified, image) : [],
    };
  };
}
