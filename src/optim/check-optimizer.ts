/**
 * What a configuration's optimiser and schedule may not be together although each setting is in its range, in the words
 * of torch.optim. Called at the border, before anything is built.
 */
import { LockstepError } from '../base/errors';
import type { Config, SchedulerConfig } from '../protocol/config';
import { type OptimizerSettings, ownSettings } from './param-groups';
import { makeStepScalars } from './scalars';
import { cyclesMomentum, SCHEDULERS } from './schedule';

export function checkOptimizer(config: OptimizerSettings): void {
  const { optimizer, scheduler } = config;
  if (optimizer.type === 'SGD' && optimizer.nesterov && (optimizer.momentum === 0 || optimizer.dampening !== 0)) {
    throw new LockstepError(
      'config',
      'Nesterov momentum requires a momentum and zero dampening',
      'Set momentum above 0 and dampening to 0.',
    );
  }
  for (const [k, group] of config.paramGroups.entries()) {
    const strange = ownSettings(group).find(([name]) => !Object.hasOwn(optimizer, name));
    if (strange) throw notOf(optimizer, k, strange[0]);
  }
  if (!scheduler) return;
  const parts = scheduler.type === 'SequentialLR' ? scheduler.schedulers : [scheduler];
  for (const part of parts) checkMomentum(part, optimizer);
  if (scheduler.type === 'SequentialLR') checkMilestones(scheduler);
  // Refuses what cannot be a function of the step. Where the schedules are still to be fetched, the blueprint does.
  if (SCHEDULERS.now()) makeStepScalars(config);
}

/** PyTorch keeps such a setting in the group, and nothing reads it. */
const notOf = ({ type, ...settings }: Config['optimizer'], group: number, name: string): LockstepError =>
  new LockstepError(
    'config',
    `paramGroups.${group}.${name}: ${type} has no such setting.`,
    `A group of ${type} may have ${Object.keys(settings)
      .filter((own) => own !== 'initialAccumulatorValue')
      .join(', ')}.`,
    { group, name },
  );

/** OneCycleLR cycles momentum or betas; CyclicLR, in torch 1.13, momentum only. */
function checkMomentum(scheduler: SchedulerConfig, optimizer: Config['optimizer']): void {
  if (!cyclesMomentum(scheduler)) return;
  if ('momentum' in optimizer || ('beta1' in optimizer && scheduler.type === 'OneCycleLR')) return;
  throw new LockstepError(
    'config',
    'optimizer must support momentum with `cycle_momentum` option enabled',
    `${optimizer.type} has no momentum that ${scheduler.type} can cycle: set cycleMomentum to false.`,
    { optimizer: optimizer.type, scheduler: scheduler.type },
  );
}

function checkMilestones({
  schedulers,
  milestones,
}: Extract<SchedulerConfig, { readonly type: 'SequentialLR' }>): void {
  if (milestones.length !== schedulers.length - 1) {
    throw new LockstepError(
      'config',
      `Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but got number of schedulers ${schedulers.length} and the number of milestones to be equal to ${milestones.length}`,
      `Give ${schedulers.length - 1} ${schedulers.length === 2 ? 'milestone' : 'milestones'}.`,
      { schedulers: schedulers.length, milestones: milestones.length },
    );
  }
  if (milestones.some((milestone, i) => i > 0 && milestone <= (milestones[i - 1] ?? 0))) {
    throw new LockstepError(
      'config',
      `Milestones should be a list of increasing integers. Got [${milestones.join(', ')}]`,
      'Sort them, each once.',
      { milestones },
    );
  }
}
