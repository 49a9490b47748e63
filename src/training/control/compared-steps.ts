/**
 * At which steps a run is compared with its single-device reference beside the snapshots of the page, and the control
 * with its own: few at first, then ever further apart, so that a long run costs no more than a few hundred readings.
 * The player and control-run.ts share them; so the two curves have common steps.
 */

/** How many steps the headline waits for: what is called "rounding" is small by then, before training amplifies it. */
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
