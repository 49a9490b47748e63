/**
 * The table of likely causes: each is a predicate over both reports, and comes with what it saw. Several may hold; of
 * the same run none is asked. Most read losses, parameters and gradients alone, so that a report without a
 * configuration gets the same causes. Called by compare-reports.ts.
 */
import type { Cause, CauseRow } from './cause';
import type { Evidence } from './evidence';
import { blindGradients, buffers, rounding } from './from-end';
import { backward, clipped, gradientScale, halfGradients } from './from-gradients';
import { loggedByOneRank, loggedWithFactor, reduction, setEpoch, shifted, someRanks, worldSize } from './from-losses';
import { dropout, model, otherRows, precision, seed, task } from './from-start';
import { afterFirstStep, learningRate, optimizer, weightDecay } from './from-updates';

/** The surest first: where one of them holds, those after `unless` them say nothing new. */
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
  // Another model or other data have other losses on every rank: the ranks are not why.
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
