/** The confusion matrix of a classifier with one class index per row. Made by snapshots from evaluated outputs. */
import { at } from '../../base/invariant';
import type { Confusion } from '../../protocol/snapshot';
import type { HostArray } from '../../tensor/shape';
import { argmax } from './argmax';

export interface Classified {
  /** Dataset row ids. */
  readonly rows: Int32Array;
  readonly of: 'train' | 'test';
  /** `width` outputs per row. */
  readonly outputs: Float32Array;
  readonly width: number;
  /** One class index per row. */
  readonly targets: HostArray;
  readonly ignoreIndex: number;
}

/** Rows whose target the loss ignores, and rows with NaN outputs, do not count. */
export function confusion({ of, outputs, width, targets, ignoreIndex }: Classified): Confusion {
  const counts = new Uint32Array(width * width);
  let rows = 0;
  targets.forEach((target, row) => {
    const predicted = argmax(outputs, row * width, width);
    if (target === ignoreIndex || predicted < 0) return;
    const cell = target * width + predicted;
    counts[cell] = at(counts, cell) + 1;
    rows++;
  });
  return { counts, rows, of };
}
