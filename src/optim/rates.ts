/**
 * The rates of all parameter groups after n scheduler steps, as a function of the configuration and n. It walks from
 * step to step and remembers its position, because torch's schedules are recursive; for an earlier n it starts again.
 * So a resumed run gets the rates of an uninterrupted run.
 */
import { Part } from '../base/part';
import type { Config } from '../protocol/config';
import { groupSettings, type OptimizerSettings } from './param-groups';
import type { GroupRates, Scheduler } from './schedulers/scheduler';

/** Must be loaded before makeSchedule is called for a run with a schedule. */
export const SCHEDULERS = new Part('The schedules of the learning rate', () => import('./schedulers/make-scheduler'));
if (!globalThis.LOCKSTEP_SITE) await SCHEDULERS.load();

/** Whether the schedule changes the momentum (or beta1). */
export function cyclesMomentum(scheduler: Config['scheduler']): boolean {
  if (scheduler === undefined) return false;
  if (scheduler.type === 'SequentialLR') return scheduler.schedulers.some(cyclesMomentum);
  return (scheduler.type === 'OneCycleLR' || scheduler.type === 'CyclicLR') && scheduler.cycleMomentum;
}

/** Groups in the order of groupSettings. What it returns is overwritten by the next call. */
export function makeSchedule(config: OptimizerSettings): (n: number) => readonly Readonly<GroupRates>[] {
  const { scheduler: settings } = config;
  const start = (): { groups: GroupRates[]; scheduler: Scheduler | undefined } => {
    const groups = groupSettings(config).map((own): GroupRates => {
      const momentum = 'momentum' in own ? own.momentum : 'beta1' in own ? own.beta1 : 0;
      return { lr: own.lr, initialLr: own.lr, momentum };
    });
    return { groups, scheduler: settings && SCHEDULERS.get().makeScheduler(settings, groups) };
  };
  let current = start();
  let at = 0;
  return (n) => {
    if (n < at) {
      current = start();
      at = 0;
    }
    for (; at < n; at++) current.scheduler?.step();
    return current.groups;
  };
}
