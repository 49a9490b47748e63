/**
 * The steps at which a run is compared with its single-device reference (in addition to the page's snapshots), and the
 * control with its reference: close together at first, then ever further apart, so that a long run needs only a few
 * hundred comparisons. The player and control-run.ts share these steps, so the two curves have common steps.
 */

/** The headline compares after this many steps: rounding is still small then, before training amplifies it. */
export const HEADLINE_STEPS = 100;
const FIRST = [1, 2, 5, 10, 20, 50, HEADLINE_STEPS];
const GROWTH = 1.1;

/** The first compared step after `done` steps since the start of the run. */
export function nextCompared(done: number): number {
  const early = FIRST.find((step) => step > done);
  if (early !== undefined) return early;
  let step = HEADLINE_STEPS;
  while (step <= done) step = Math.round(step * GROWTH);
  return step;
}
