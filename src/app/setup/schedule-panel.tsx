/**
 * How the learning rate changes: which of torch.optim.lr_scheduler's, and its numbers. A schedule begins with numbers
 * that show what it does.
 */
import { lookup } from '../../base/lookup';
import { withSetting } from '../edit/edit-config';
import { SCHEDULER_WORDS, SCHEDULES } from '../edit/setting-words';
import { Choice, ChoiceSetting, NumberSetting } from '../fields/settings';
import { useApp, useController } from '../state/use-app';

const NAMES: Readonly<Record<string, string>> = {
  none: 'constant',
  ...Object.fromEntries(
    Object.keys(SCHEDULES).map((type) => [type, type.replace(/LR$/, '').replace(/([a-z])([A-Z])/g, '$1 $2')]),
  ),
};
const EVERY = { step: 'step', epoch: 'epoch' } as const;

export function SchedulePanel() {
  const config = useApp((app) => app.config);
  const controller = useController();
  const type = config.scheduler?.type ?? 'none';
  const { lr } = config.optimizer;
  const choose = (chosen: string) => {
    const rates =
      chosen === 'OneCycleLR' ? { maxLr: 3 * lr } : chosen === 'CyclicLR' ? { baseLr: lr / 3, maxLr: lr } : {};
    // Adam and its kin without a momentum cannot cycle it.
    const cycles = chosen === 'CyclicLR' && config.optimizer.type !== 'SGD' ? { cycleMomentum: false } : {};
    const value = chosen === 'none' ? undefined : { type: chosen, ...lookup(SCHEDULES, chosen), ...rates, ...cycles };
    const edit = withSetting(config, ['scheduler'], value);
    if (edit.ok) controller.apply(edit.config);
  };
  const names = type === 'SequentialLR' ? { ...NAMES, SequentialLR: 'one after the other' } : NAMES;
  return (
    <>
      <Choice
        label="Schedule"
        words={names}
        value={type}
        onChange={choose}
        title={type === 'none' ? 'torch.optim.lr_scheduler: how the rate changes.' : `torch.optim.lr_scheduler.${type}`}
      />
      {Object.entries(SCHEDULER_WORDS).map(([field, words]) => (
        <NumberSetting key={field} path={`scheduler.${field}`} {...words} />
      ))}
      <ChoiceSetting
        label="Stepped every"
        path="scheduler.every"
        words={EVERY}
        title="When scheduler.step() is called."
      />
    </>
  );
}
