/** Copies rows of a Dataset, named by id, into a batch: what a Load instruction of a Program is fed with. */
import type { Dataset } from './dataset';

/** Inputs of rows [start, start + count) of the batch, row-major. */
export function gatherInputs(
  dataset: Dataset,
  batch: Int32Array,
  start: number,
  count: number,
): Float32Array<ArrayBuffer> {
  const out = new Float32Array(count * width(dataset.inputShape));
  copyRows(dataset.inputs, out, batch, start, count);
  return out;
}

/** Targets of the same rows, in the dataset's dtype. */
export function gatherTargets(
  dataset: Dataset,
  batch: Int32Array,
  start: number,
  count: number,
): Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> {
  const size = count * width(dataset.targetShape);
  const out = dataset.targets instanceof Int32Array ? new Int32Array(size) : new Float32Array(size);
  copyRows(dataset.targets, out, batch, start, count);
  return out;
}

const width = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

function copyRows(
  from: Float32Array | Int32Array,
  to: Float32Array | Int32Array,
  batch: Int32Array,
  start: number,
  count: number,
): void {
  const rowWidth = to.length / count;
  for (let r = 0; r < count; r++) {
    const source = (batch[start + r] as number) * rowWidth;
    for (let i = 0; i < rowWidth; i++) to[r * rowWidth + i] = from[source + i] as number;
  }
}
