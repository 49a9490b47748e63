/**
 * Brings two runs to the same step of the optimizer: one after the other, so that each has the machine to itself while
 * it trains. Knows no clock and no cursor; duo.ts shows what has been trained.
 */
import { firstOfStep, stepOf } from '../../protocol/micro-batches';
import type { StepTrace } from '../../protocol/trace';
import { isConstruct } from '../state/kept-run';
import type { Side } from './side';

export type BothSides = readonly [Side, Side];

const accumulating = ({ store }: Side) => {
  const { info, config } = store.getState();
  return info?.config ?? config;
};

/** Steps that have been taken, one that is under way included. */
export function stepsBegun(side: Side): number {
  const { microBatch } = side.store.getState();
  const { accumulate } = accumulating(side);
  return stepOf(microBatch + accumulate - 1, { accumulate });
}

/** The kept traces of a step: one for each of its micro-batches that was traced. */
export const tracesOf = ({ store }: Side, step: number): readonly StepTrace[] =>
  store.getState().traces.filter((trace) => trace.step === step && !isConstruct(trace));

/** It is open, and nothing has failed. */
export const runs = ({ store }: Side): boolean => {
  const { state, info } = store.getState();
  return info !== undefined && state !== 'loading' && state !== 'failed';
};

/** All micro-batches of the step are done, and the last one was traced. */
function shows(side: Side, step: number): boolean {
  const { accumulate } = accumulating(side);
  return tracesOf(side, step).some((trace) => trace.microBatch === firstOfStep(step + 1, { accumulate }) - 1);
}

/** The first step after this one that both can show; `least`: at the earliest. */
export function commonStep(sides: BothSides, least: number): number | undefined {
  const [first, second] = sides;
  return first.store
    .getState()
    .traces.map((trace) => trace.step)
    .find((step) => step >= least && shows(first, step) && shows(second, step));
}

/** The step before this one that both can show. */
export function commonStepBefore(sides: BothSides, step: number): number | undefined {
  const [first, second] = sides;
  return first.store
    .getState()
    .traces.map((trace) => trace.step)
    .findLast((earlier) => earlier < step && shows(first, earlier) && shows(second, earlier));
}

const until = ({ store }: Side, holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    if (holds()) return resolve();
    const stop = store.subscribe(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });

/** So many steps are behind it then, the last one traced. False: it was interrupted, or it has stopped by itself. */
async function trainTo(side: Side, steps: number, wanted: () => boolean): Promise<boolean> {
  const { accumulate } = accumulating(side);
  const goal = firstOfStep(steps, { accumulate });
  const before = goal - accumulate;
  const at = () => side.store.getState().microBatch;
  const goOn = () => wanted() && runs(side);
  if (goOn() && at() < before) {
    await side.controller.lead.trainTo(before);
    if (at() < before) return false;
  }
  while (goOn() && at() < goal) {
    const start = at();
    await side.controller.lead.traceStep();
    // The trace may come before the word that the step is done.
    await until(side, () => at() > start || !runs(side));
  }
  return at() >= goal;
}

/** Both have so many steps behind them then. */
export async function trainBoth(sides: BothSides, steps: number, wanted: () => boolean): Promise<boolean> {
  // Who is behind comes first.
  const order = sides.toSorted((a, b) => stepsBegun(a) - stepsBegun(b));
  for (const side of order) if (!(await trainTo(side, steps, wanted))) return false;
  return true;
}
