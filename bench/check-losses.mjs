/**
 * Before anything is timed: contenders that start from the same weights and see the same batches must have the same losses.
 * DDP sees each epoch's rows in another order over its ranks, so of it only falling and finite losses are asked.
 */

const TOLERANCE = 1e-3;

/**
 * @param {string} title
 * @param {Record<string, number[]>} losses one list a contender; the first is the reference
 */
export function checkLosses(title, losses) {
  const [[reference, expected] = ['', []], ...others] = Object.entries(losses);
  if (!expected.every(Number.isFinite)) throw new Error(`${title}: ${reference} has losses ${expected.join(', ')}`);
  for (const [name, list] of others) {
    const wrong = name.includes('DDP')
      ? list.findIndex((loss) => !Number.isFinite(loss))
      : list.findIndex(
          (loss, step) => !(Math.abs(loss - (expected[step] ?? Number.NaN)) <= TOLERANCE * Math.max(1, Math.abs(loss))),
        );
    if (wrong >= 0)
      throw new Error(
        `${title}: at step ${wrong + 1} ${name} has loss ${list[wrong]}, ${reference} ${expected[wrong]}`,
      );
  }
  console.log(`${title}: losses of the first ${expected.length} steps agree (last ${expected.at(-1)?.toFixed(5)}).`);
}
