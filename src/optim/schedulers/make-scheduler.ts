/** From the configuration of a schedule to a Scheduler over the parameter groups, SequentialLR included. */
import { at } from '../../base/invariant';
import type { SchedulerConfig } from '../../protocol/config';
import { cyclic, oneCycle } from './cycles';
import { decayingFormula } from './decaying';
import { type GroupRates, type Scheduler, schedulerOf } from './scheduler';

export function makeScheduler(config: SchedulerConfig, groups: readonly GroupRates[]): Scheduler {
  switch (config.type) {
    case 'SequentialLR':
      return sequential(config, groups);
    case 'OneCycleLR':
      return schedulerOf(groups, oneCycle(config, groups));
    case 'CyclicLR':
      return schedulerOf(groups, cyclic(config));
    default:
      return schedulerOf(groups, decayingFormula(config));
  }
}

/** Each schedule starts from its own beginning, with the initial rate, at its milestone. */
function sequential(
  { schedulers, milestones }: Extract<SchedulerConfig, { type: 'SequentialLR' }>,
  groups: readonly GroupRates[],
): Scheduler {
  // torch's constructors take their initial steps one after the other; then the rates are restored and the first
  // schedule starts again.
  const parts = schedulers.map((config) => makeScheduler(config, groups));
  let n = 0;
  const begin = (): void => {
    n = 0;
    for (const group of groups) group.lr = group.initialLr;
    at(parts, 0).restart();
  };
  begin();
  return {
    step() {
      n += 1;
      const index = milestones.filter((milestone) => milestone <= n).length;
      const part = at(parts, index);
      if (index > 0 && milestones[index - 1] === n) part.takeOver();
      else part.step();
    },
    restart: begin,
    takeOver: begin,
  };
}
