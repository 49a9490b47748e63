import { describe, expect, it } from 'vitest';
import { cutsOf, movedCut, splitOf } from './stage-cuts';

/** Linear layers at 0, 2, 4, 6 with activations between them. */
const STARTS = [0, 2, 4, 6];

describe('cuts between stages', () => {
  it('are restored from the split that they make', () => {
    for (const cuts of [[1, 2, 3], [1, 3], [2], []]) expect(cutsOf(splitOf(cuts, STARTS, 7), STARTS)).toEqual(cuts);
    expect(splitOf([1, 2, 3], STARTS, 7)).toEqual([2, 2, 2, 1]);
    // A Flatten before the first layer with weights is in the first stage.
    expect(splitOf([1], [1, 3], 4)).toEqual([3, 1]);
  });

  it('leave every stage a layer', () => {
    expect(movedCut([1, 2], 0, 2, 4)).toEqual([1, 2]);
    expect(movedCut([1, 2], 1, 9, 4)).toEqual([1, 3]);
    expect(movedCut([1, 3], 0, 0, 4)).toEqual([1, 3]);
    expect(movedCut([1, 3], 0, 2, 4)).toEqual([2, 3]);
  });
});
