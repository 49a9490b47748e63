/**
 * The table of likely causes: each is a predicate over both reports and returns its evidence. Several may hold; for
 * equal runs none is tested. Most read only losses, parameters and gradients, so that a report without a configuration
 * gets the same causes. Called by compare-reports.ts.
 */
import type { Cause, CauseRow } from './cause';
import type { Evidence } from './evidence';
import { blindGradients, buffers, rounding } from './from-end';
import { backward, clipped, gradientScale, halfGradients } from './from-gradients';
import { loggedByOneRank, loggedWithFactor, reduction, setEpoch, shifted, someRanks, worldSize } from './from-losses';
import { dropout, model, otherRows, precision, seed, task } from './from-start';
import { afterFirstStep, learningRate, optimizer, weightDecay } from './from-updates';

/** The most certain causes first; a row is skipped if a cause in its `unless` holds, because it would add nothing. */
const TABLE: readonly (CauseRow & { readonly unless?: readonly CauseRow[] })[] = [
  model,
  { ...task, unless: [model] },
  shifted,
  loggedByOneRank,
  loggedWithFactor,
  { ...reduction, unless: [loggedWithFactor] },
  { ...seed, unless: [model, shifted, loggedByOneRank, loggedWithFactor] },
  { ...precision, unless: [model, reduction] },
  { ...dropout, unless: [model, shifted, loggedByOneRank, loggedWithFactor, reduction] },
  { ...otherRows, unless: [model, shifted, loggedByOneRank, loggedWithFactor, reduction, dropout, someRanks] },
  // With another model or other data, losses differ on every rank, so the ranks are not the cause.
  { ...someRanks, unless: [model, task] },
  { ...worldSize, unless: [model, task] },
  setEpoch,
  clipped,
  gradientScale,
  halfGradients,
  learningRate,
  { ...weightDecay, unless: [learningRate] },
  optimizer,
  backward,
  afterFirstStep,
  { ...rounding, unless: [setEpoch] },
  buffers,
  blindGradients,
];

export function causesOf(evidence: Evidence): readonly Cause[] {
  return TABLE.flatMap(({ id, from, says, test, unless = [] }): readonly Cause[] => {
    if (unless.some((other) => other.test(evidence) !== undefined)) return [];
    const found = test(evidence);
    return found === undefined ? [] : [{ id, from, says, evidence: found }];
  });
}
