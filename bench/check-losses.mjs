/**
 * Checks before anything is timed: contenders that start from the same weights and see the same batches must have the
 * same losses, and products the same elements. DDP distributes each epoch's rows among its ranks in another order, so
 * its losses must only be finite.
 */

const TOLERANCE = 1e-3;
/** Differences of smaller numbers are compared as if the numbers were this large. */
const SMALL = 0.1;

/**
 * Which numbers are wrong, if any.
 * @param {readonly number[]} numbers
 * @param {readonly number[] | undefined} expected
 * @returns {string | undefined}
 */
export function disagreement(numbers, expected) {
  const odd = numbers.findIndex((value) => !Number.isFinite(value));
  if (numbers.length === 0) return 'gave no numbers';
  if (odd >= 0) return `number ${odd + 1} is ${numbers[odd]}`;
  if (expected === undefined) return undefined;
  if (numbers.length !== expected.length) return `gave ${numbers.length} numbers, expected ${expected.length}`;
  const wrong = numbers.findIndex((value, i) => {
    const wanted = expected[i] ?? Number.NaN;
    return !(Math.abs(value - wanted) <= TOLERANCE * Math.max(SMALL, Math.abs(wanted)));
  });
  return wrong < 0 ? undefined : `disagrees: number ${wrong + 1} is ${numbers[wrong]}, expected ${expected[wrong]}`;
}
