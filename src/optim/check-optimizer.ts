/**
 * Refuses combinations of optimiser and schedule settings that are invalid although each setting is in its range, in
 * the words of torch.optim. Called when a configuration is parsed, before anything is built.
 */
import type { LockstepError } from '../base/errors';
import { refusedSettings } from '../base/refused-settings';
import type { Config, SchedulerConfig } from '../protocol/config';
import { type OptimizerSettings, ownSettings } from './param-groups';
import { cyclesMomentum, SCHEDULERS } from './rates';
import { makeStepScalars } from './scalars';

export function checkOptimizer(config: OptimizerSettings): void {
  const { optimizer, scheduler } = config;
  if (optimizer.type === 'SGD' && optimizer.nesterov && (optimizer.momentum === 0 || optimizer.dampening !== 0)) {
    const { nesterov, momentum, dampening } = optimizer;
    throw refusedSettings({
      settings: { 'optimizer.nesterov': nesterov, 'optimizer.momentum': momentum, 'optimizer.dampening': dampening },
      why: 'Nesterov momentum requires a momentum and zero dampening',
      hint: 'Set momentum above 0 and dampening to 0.',
    });
  }
  for (const [k, group] of config.paramGroups.entries()) {
    const strange = ownSettings(group).find(([name]) => !Object.hasOwn(optimizer, name));
    if (strange) throw notOf(optimizer, k, strange);
  }
  if (!scheduler) return;
  if (scheduler.type === 'SequentialLR') {
    for (const [i, part] of scheduler.schedulers.entries()) checkMomentum(part, `scheduler.schedulers.${i}`, optimizer);
    checkMilestones(scheduler);
  } else checkMomentum(scheduler, 'scheduler', optimizer);
  // Refuses schedules that cannot be a function of the step. If the schedules are not loaded yet, the blueprint does
  // this later.
  if (SCHEDULERS.now()) makeStepScalars(config);
}

/** PyTorch stores an unknown setting in the group, where nothing reads it. */
const notOf = (
  { type, ...settings }: Config['optimizer'],
  group: number,
  [name, value]: readonly [string, unknown],
): LockstepError =>
  refusedSettings({
    settings: { [`paramGroups.${group}.${name}`]: value, 'optimizer.type': type },
    why: `${type} has no setting of that name`,
    hint: `A parameter group of ${type} may set ${Object.keys(settings)
      .filter((own) => own !== 'initialAccumulatorValue')
      .join(', ')}.`,
  });

/** OneCycleLR and, from torch 2.3 on, CyclicLR cycle a momentum or the first beta. */
function checkMomentum(scheduler: SchedulerConfig, place: string, optimizer: Config['optimizer']): void {
  if (!cyclesMomentum(scheduler)) return;
  if ('momentum' in optimizer || 'beta1' in optimizer) return;
  throw refusedSettings({
    settings: { [`${place}.cycleMomentum`]: true, [`${place}.type`]: scheduler.type, 'optimizer.type': optimizer.type },
    why: 'optimizer must support momentum or beta1 with `cycle_momentum` option enabled',
    hint: `${optimizer.type} has no momentum and no beta1 that ${scheduler.type} can cycle: set ${place}.cycleMomentum to false.`,
  });
}

function checkMilestones({
  schedulers,
  milestones,
}: Extract<SchedulerConfig, { readonly type: 'SequentialLR' }>): void {
  if (milestones.length !== schedulers.length - 1) {
    throw refusedSettings({
      settings: { 'scheduler.milestones': milestones },
      why: `Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but got number of schedulers ${schedulers.length} and the number of milestones to be equal to ${milestones.length}`,
      hint: `Give ${schedulers.length - 1} ${schedulers.length === 2 ? 'milestone' : 'milestones'}.`,
    });
  }
  if (milestones.some((milestone, i) => i > 0 && milestone <= (milestones[i - 1] ?? 0))) {
    throw refusedSettings({
      settings: { 'scheduler.milestones': milestones },
      why: 'Milestones should be a list of increasing integers',
      hint: 'Sort the milestones, and list each step only once.',
    });
  }
}
