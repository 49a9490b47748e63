/**
 * Counts steps of the optimiser. In most modes a step of the run is one of them; if workers do not wait for each other,
 * the optimiser steps once for every worker that has rows of the batch. Called by feeds.ts.
 */
import { at } from '../../base/invariant';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { Config } from '../../protocol/config';
import { firstOfStep, stepOf } from '../../protocol/micro-batches';

export interface OptimizerSteps {
  /** Those of one step of the run. */
  in(step: number): number;
  /** Those before a step of the run. */
  before(step: number): number;
}

export function optimizerSteps(config: Config, { steps }: ModeFacets, schedule: BatchSchedule): OptimizerSteps {
  const count = steps.optimizerSteps?.bind(steps);
  if (!count) return { in: () => 1, before: (step) => step };
  const countIn = (step: number): number => count(config, schedule.rowsAt(firstOfStep(step, config)));
  const period = Math.max(1, stepOf(schedule.period, config));
  /** Before each step of a period, and at its end. */
  const sums = [0];
  for (let step = 0; step < period; step++) sums.push(at(sums, step) + countIn(step));
  return {
    in: countIn,
    before: (step) => Math.floor(step / period) * at(sums, period) + at(sums, step % period),
  };
}
