/** Settings that torch.optim refuses, in its words. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { schedulerSchema } from '../protocol/config/scheduler';
import { checkOptimizer } from './check-optimizer';
import { optimizerConfig } from './testing/torch-cases';

const check = (optimizer: ReturnType<typeof optimizerConfig>, scheduler?: unknown) => () =>
  checkOptimizer({
    optimizer,
    scheduler: scheduler === undefined ? undefined : v.parse(schedulerSchema, scheduler),
    paramGroups: [],
  });

test('Nesterov needs a momentum and no dampening', () => {
  const words = 'Nesterov momentum requires a momentum and zero dampening';
  expect(check(optimizerConfig('SGD', { nesterov: true }))).toThrow(words);
  expect(check(optimizerConfig('SGD', { nesterov: true, momentum: 0.9, dampening: 0.1 }))).toThrow(words);
  expect(check(optimizerConfig('SGD', { nesterov: true, momentum: 0.9 }))).not.toThrow();
});

test('an optimiser without momentum or beta1 cannot cycle them', () => {
  const words = 'optimizer must support momentum or beta1 with `cycle_momentum` option enabled';
  const one = { type: 'OneCycleLR', maxLr: 1, totalSteps: 9 };
  const cyclic = { type: 'CyclicLR', baseLr: 0.1, maxLr: 1 };
  for (const schedule of [one, cyclic]) {
    for (const type of ['Adagrad', 'Adadelta']) expect(check(optimizerConfig(type, {}), schedule)).toThrow(words);
    for (const type of ['SGD', 'RMSprop', 'Adam', 'RAdam'])
      expect(check(optimizerConfig(type, {}), schedule), type).not.toThrow();
  }
  expect(check(optimizerConfig('Adagrad', {}), { ...cyclic, cycleMomentum: false })).not.toThrow();
  const chain = { type: 'SequentialLR', schedulers: [{ type: 'StepLR', stepSize: 2 }, cyclic], milestones: [3] };
  expect(check(optimizerConfig('Adadelta', {}), chain)).toThrow(words);
});

test('a chain has one milestone fewer than schedules, in ascending order', () => {
  const part = { type: 'StepLR', stepSize: 2 };
  const chain = (count: number, milestones: readonly number[]) =>
    check(optimizerConfig('SGD', {}), {
      type: 'SequentialLR',
      schedulers: Array.from({ length: count }, () => part),
      milestones,
    });
  expect(chain(2, [1, 2])).toThrow('got number of schedulers 2 and the number of milestones to be equal to 2');
  expect(chain(3, [4, 4])).toThrow(
    'scheduler.milestones is [4, 4]: Milestones should be a list of increasing integers.',
  );
  expect(chain(3, [4, 5])).not.toThrow();
});

test('a beta1 that cycles by epochs has no product over steps', () => {
  const scheduler = { type: 'OneCycleLR', maxLr: 1, totalSteps: 9, every: 'epoch' };
  expect(check(optimizerConfig('NAdam', {}), scheduler)).toThrow('NAdam keeps the product of beta1 over all its steps');
  expect(check(optimizerConfig('Adam', {}), scheduler)).not.toThrow();
});
