/**
 * Loss, optimiser, groups and schedules of the listing, argument by argument; that they give the run's losses is held
 * in training/parity/script-losses.test.ts.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../protocol/config';
import { lossCode, optimizerCode, parametersOf, schedulerCode } from './optim';

const parse = (input: ConfigInput) => v.parse(configSchema, input);
const loss = (input: ConfigInput['loss']) => lossCode(parse({ loss: input }).loss, 'rank').replace('loss_fn = nn.', '');
const optimizer = (input: ConfigInput) => optimizerCode(parse(input), parametersOf('model.module'));
const scheduler = (input: ConfigInput['scheduler']) => schedulerCode(parse({ scheduler: input }).scheduler);

test('losses with what differs from the defaults', () => {
  expect(loss({ type: 'L1Loss', reduction: 'sum' })).toBe("L1Loss(reduction='sum')");
  expect(loss({ type: 'SmoothL1Loss' })).toBe('SmoothL1Loss()');
  expect(loss({ type: 'SmoothL1Loss', beta: 0.5 })).toBe('SmoothL1Loss(beta=0.5)');
  expect(loss({ type: 'HuberLoss', delta: 0.5 })).toBe('HuberLoss(delta=0.5)');
  expect(loss({ type: 'BCEWithLogitsLoss', posWeight: [3] })).toBe(
    'BCEWithLogitsLoss(pos_weight=torch.tensor([3.])).to(rank)',
  );
  expect(loss({ type: 'NLLLoss', ignoreIndex: 3 })).toBe('NLLLoss(ignore_index=3)');
  expect(loss({ type: 'CrossEntropyLoss', labelSmoothing: 0.1, ignoreIndex: -100, classWeights: [1, 0.5] })).toBe(
    'CrossEntropyLoss(weight=torch.tensor([1., 0.5]), label_smoothing=0.1).to(rank)',
  );
});

test.each<[ConfigInput['optimizer'], string]>([
  [{ type: 'SGD', maximize: true }, 'SGD(model.parameters(), lr=0.1, maximize=True)'],
  [{ type: 'Adam', amsgrad: true, weightDecay: 0.1 }, 'lr=0.001, weight_decay=0.1, amsgrad=True)'],
  [{ type: 'RMSprop', alpha: 0.9, momentum: 0.5, centered: true }, 'lr=0.01, alpha=0.9, momentum=0.5, centered=True)'],
  [{ type: 'Adagrad', lrDecay: 0.1, initialAccumulatorValue: 1 }, 'lr_decay=0.1, initial_accumulator_value=1)'],
  [{ type: 'Adadelta', rho: 0.8 }, 'Adadelta(model.parameters(), lr=1, rho=0.8)'],
  [{ type: 'Adamax', beta2: 0.99 }, 'Adamax(model.parameters(), lr=0.002, betas=(0.9, 0.99))'],
  [{ type: 'Adam', beta1: 0 }, 'Adam(model.parameters(), lr=0.001, betas=(0.0, 0.999))'],
  [{ type: 'NAdam', momentumDecay: 0.01 }, 'NAdam(model.parameters(), lr=0.002, momentum_decay=0.01)'],
  [
    { type: 'NAdam', weightDecay: 0.1, decoupledWeightDecay: true, maximize: true },
    'NAdam(model.parameters(), lr=0.002, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)',
  ],
  [
    { type: 'RAdam', weightDecay: 0.1, decoupledWeightDecay: true },
    'RAdam(model.parameters(), lr=0.001, weight_decay=0.1, decoupled_weight_decay=True)',
  ],
  [{ type: 'Adam', decoupledWeightDecay: true }, 'Adam(model.parameters(), lr=0.001, decoupled_weight_decay=True)'],
  [{ type: 'RAdam', eps: 1e-6 }, 'RAdam(model.parameters(), lr=0.001, eps=0.000001)'],
])('%j', (input, text) => {
  expect(optimizer({ optimizer: input }).join('\n')).toContain(text);
});

test('groups by the names of the wrapped module, the first match counts, the rest comes last', () => {
  const paramGroups = [
    { match: '*.bias', weightDecay: 0 },
    { match: '*.bias', lr: 1 },
    { match: 'a?[0]', lr: 0.5 },
  ];
  expect(optimizer({ optimizer: { type: 'AdamW' }, paramGroups })).toEqual([
    'groups = {  # a parameter is in the first group that its name matches',
    "    '*.bias': {'weight_decay': 0},",
    `    "a[?][[]0]": {'lr': 0.5},`,
    "    '*': {},",
    '}',
    'for name, p in model.module.named_parameters():',
    '    match = next(m for m in groups if fnmatchcase(name, m))',
    "    groups[match].setdefault('params', []).append(p)",
    "optimizer = torch.optim.AdamW([g for g in groups.values() if 'params' in g], lr=0.001)",
  ]);
});

test('schedules', () => {
  const make = (input: ConfigInput['scheduler']) =>
    scheduler(input).lines.join('\n').replace('scheduler = torch.optim.lr_scheduler.', '');
  expect(make({ type: 'StepLR', stepSize: 3 })).toBe('StepLR(optimizer, step_size=3)');
  expect(make({ type: 'MultiStepLR', milestones: [2, 4], gamma: 0.5 })).toBe(
    'MultiStepLR(optimizer, milestones=[2, 4], gamma=0.5)',
  );
  expect(make({ type: 'CosineAnnealingWarmRestarts', t0: 2, tMult: 2 })).toBe(
    'CosineAnnealingWarmRestarts(optimizer, T_0=2, T_mult=2)',
  );
  expect(make({ type: 'CyclicLR', baseLr: 0.1, maxLr: 1, mode: 'triangular2', stepSizeDown: 3 })).toBe(
    "CyclicLR(optimizer, base_lr=0.1, max_lr=1, step_size_down=3, mode='triangular2')",
  );
  expect(make({ type: 'LinearLR' })).toBe('LinearLR(optimizer)');
  expect(make({ type: 'WarmupInverseSqrt', warmupSteps: 4 })).toBe(
    'def factor(t):\n    return min((t + 1) / 4, ((t + 1) / 4) ** -0.5)\nLambdaLR(optimizer, factor)',
  );
  // OneCycleLR raises beyond its end; the run keeps the last rate.
  expect(scheduler({ type: 'OneCycleLR', maxLr: 1, totalSteps: 10 }).step).toEqual([
    'if scheduler.last_epoch < 9:',
    '    scheduler.step()',
  ]);
  expect(
    scheduler({
      type: 'SequentialLR',
      schedulers: [
        { type: 'ConstantLR', totalIters: 2 },
        { type: 'WarmupCosine', warmupSteps: 0, totalSteps: 8 },
      ],
      milestones: [2],
    }),
  ).toEqual({
    imports: ['import math'],
    lines: [
      'def factor2(t):',
      '    done = min(1, t / 8)',
      '    return 0.1 + (1 - 0.1) * 0.5 * (1 + math.cos(math.pi * done))',
      'scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [',
      '    torch.optim.lr_scheduler.ConstantLR(optimizer, total_iters=2),',
      '    torch.optim.lr_scheduler.LambdaLR(optimizer, factor2),',
      '], milestones=[2])',
    ],
    step: ['scheduler.step()'],
  });
});

test('a group with settings of its own: by torch’s names, betas as a pair', () => {
  const paramGroups = [{ match: '*.bias', beta1: 0.5, amsgrad: true, weightDecay: 0.1 }];
  expect(optimizer({ optimizer: { type: 'Adam' }, paramGroups })).toContain(
    "    '*.bias': {'weight_decay': 0.1, 'betas': (0.5, 0.999), 'amsgrad': True},",
  );
  const own = [{ match: '*', momentum: 0.5, nesterov: false }];
  expect(optimizer({ optimizer: { type: 'SGD' }, paramGroups: own })).toContain(
    "    '*': {'momentum': 0.5, 'nesterov': False},",
  );
});

test('a wrapper that knows only its arguments gets the betas or the momentum that a schedule cycles', () => {
  const made = (type: 'Adam' | 'SGD', cycleMomentum: boolean) =>
    optimizerCode(
      parse({ optimizer: { type }, scheduler: { type: 'OneCycleLR', maxLr: 0.1, totalSteps: 9, cycleMomentum } }),
      parametersOf('model'),
      [],
      'ZeroRedundancyOptimizer',
    ).join();
  expect(made('Adam', true)).toContain('betas=(0.9, 0.999)');
  expect(made('SGD', true)).toContain('momentum=0');
  expect(made('Adam', false)).not.toContain('betas');
});
