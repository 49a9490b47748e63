/**
 * Brings two runs to the same step of the optimizer, one after the other, so that each has the machine to itself while
 * it trains. Handles no clock and no cursor; duo.ts shows the trained steps.
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

/** The number of steps begun, including one that is in progress. */
export function stepsBegun(side: Side): number {
  const { microBatch } = side.store.getState();
  const { accumulate } = accumulating(side);
  return stepOf(microBatch + accumulate - 1, { accumulate });
}

/** The kept traces of a step: one for each traced micro-batch. */
export const tracesOf = ({ store }: Side, step: number): readonly StepTrace[] =>
  store.getState().traces.filter((trace) => trace.step === step && !isConstruct(trace));

/** Whether the run is open and has not failed. */
export const runs = ({ store }: Side): boolean => {
  const { state, info } = store.getState();
  return info !== undefined && state !== 'loading' && state !== 'failed';
};

/** Whether the run can show the step: its last micro-batch is done and traced. */
function shows(side: Side, step: number): boolean {
  const { accumulate } = accumulating(side);
  return tracesOf(side, step).some((trace) => trace.microBatch === firstOfStep(step + 1, { accumulate }) - 1);
}

/** The first step from `least` on that both can show. */
export function commonStep(sides: BothSides, least: number): number | undefined {
  const [first, second] = sides;
  return first.store
    .getState()
    .traces.map((trace) => trace.step)
    .find((step) => step >= least && shows(first, step) && shows(second, step));
}

/** The last step before this one that both can show. */
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

/**
 * Trains until this many steps are done, the last one traced. Resolves to false if it was interrupted, or stopped by
 * itself.
 */
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
    // The trace may arrive before the message that the step is done.
    await until(side, () => at() > start || !runs(side));
  }
  return at() >= goal;
}

/** Trains both runs until this many steps are done. */
export async function trainBoth(sides: BothSides, steps: number, wanted: () => boolean): Promise<boolean> {
  // The run that is behind trains first.
  const order = sides.toSorted((a, b) => stepsBegun(a) - stepsBegun(b));
  for (const side of order) if (!(await trainTo(side, steps, wanted))) return false;
  return true;
}
