/**
 * The learning-rate schedule: one of torch.optim.lr_scheduler's, with its settings. The default settings make the
 * schedule's effect visible.
 */

import { lookup } from '../../base/lookup';
import { RUN } from '../../protocol/words/run';
import { SCHEDULER } from '../../protocol/words/scheduler';
import { withSetting } from '../edit/edit-config';
import { SCHEDULES } from '../edit/schedules';
import { Choice, ChoiceSetting, ListSetting, SettingOfAnyKind } from '../fields/settings';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';

const NAMES: Readonly<Record<string, string>> = {
  none: 'none',
  ...Object.fromEntries(
    Object.keys(SCHEDULES).map((type) => [type, type.replace(/LR$/, '').replace(/([a-z])([A-Z])/g, '$1 $2')]),
  ),
  ConstantLR: 'Constant factor',
  SequentialLR: 'Several in sequence',
};
const ANNEALING = { cos: 'cosine', linear: 'straight' } as const;
const CYCLES = { triangular: 'all alike', triangular2: 'each half', exp_range: '× gamma each step' } as const;
const EVERY = { step: 'step', epoch: 'epoch' } as const;

export function SchedulePanel() {
  const config = useApp((app) => app.config);
  const controller = useController();
  const type = config.scheduler?.type ?? 'none';
  const { lr } = config.optimizer;
  const choose = (chosen: string) => {
    const rates =
      chosen === 'OneCycleLR' ? { maxLr: 3 * lr } : chosen === 'CyclicLR' ? { baseLr: lr / 3, maxLr: lr } : {};
    const { optimizer } = config;
    const cyclesNothing = chosen === 'CyclicLR' && !('momentum' in optimizer || 'beta1' in optimizer);
    const cycles = cyclesNothing ? { cycleMomentum: false } : {};
    const value = chosen === 'none' ? undefined : { type: chosen, ...lookup(SCHEDULES, chosen), ...rates, ...cycles };
    const edit = withSetting(config, ['scheduler'], value);
    if (edit.ok) controller.apply(edit.config);
  };
  return (
    <>
      <Choice
        label={RUN.scheduler.title}
        words={NAMES}
        value={type}
        onChange={choose}
        title={RUN.scheduler.description}
      />
      <ListSetting {...SCHEDULER.schedulers} absent="" example="LinearLR(totalIters:100), StepLR(stepSize:50)" />
      <ListSetting {...SCHEDULER.milestones} absent="" example="100, 200" />
      {Object.values(SCHEDULER).map((setting) => (
        <SettingOfAnyKind key={setting.path} {...setting} />
      ))}
      <ChoiceSetting {...SCHEDULER.annealStrategy} words={ANNEALING} />
      <ChoiceSetting {...SCHEDULER.mode} words={CYCLES} />
      <ChoiceSetting {...SCHEDULER.every} words={EVERY} />
    </>
  );
}
