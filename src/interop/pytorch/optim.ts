/**
 * The lines of the listing about learning: loss function, optimiser with its parameter groups, schedule. Called by
 * script.ts.
 */
import { at, unreachable } from '../../base/invariant';
import { lossWeights } from '../../nn/losses';
import { groupSettings, ownSettings } from '../../optim/param-groups';
import { cyclesMomentum } from '../../optim/rates';
import type { Config, LossConfig, OptimizerConfig, SchedulerConfig } from '../../protocol/config';
import { defaultsOf } from '../../protocol/config/optimizer';
import { flag, keyword, python } from './python';

export function lossCode(loss: LossConfig, device: string): string {
  const weights = lossWeights(loss);
  const args = [
    ...(weights
      ? [
          `${loss.type === 'BCEWithLogitsLoss' ? 'pos_weight' : 'weight'}=torch.tensor([${weights.map(real).join(', ')}])`,
        ]
      : []),
    ...(loss.reduction === 'sum' ? ["reduction='sum'"] : []),
    ...('ignoreIndex' in loss ? keyword('ignore_index', loss.ignoreIndex ?? -100, -100) : []),
    ...('labelSmoothing' in loss ? keyword('label_smoothing', loss.labelSmoothing ?? 0, 0) : []),
    ...('beta' in loss ? keyword('beta', loss.beta, 1) : []),
    ...('delta' in loss ? keyword('delta', loss.delta, 1) : []),
  ];
  return `loss_fn = nn.${loss.type}(${args.join(', ')})${weights ? `.to(${device})` : ''}`;
}

/** A literal that torch reads as float. */
const real = (value: number): string => (Number.isInteger(value) ? `${value}.` : `${value}`);

/** Python expressions for the parameters that the optimiser steps. */
export interface Parameters {
  readonly all: string;
  /** Pairs of name and parameter, with the names of the run or those of `copies`. */
  readonly named: string;
  /** For parameters that are copies of a shared weight: the name that the run gives the weight. Absent: none. */
  readonly copies?: ReadonlyMap<string, string> | undefined;
}

/** `model`: the module whose parameters have our names, possibly inside a wrapper. */
export const parametersOf = (model: string): Parameters => ({
  all: 'model.parameters()',
  named: `${model}.named_parameters()`,
});

/** `more`: arguments beside the settings. */
export function optimizerCode(
  config: Config,
  { all, named, copies = new Map() }: Parameters,
  more: readonly string[] = [],
  wrapper?: string,
): readonly string[] {
  const { optimizer, paramGroups, scheduler } = config;
  // ZeroRedundancyOptimizer has only the settings that it is given; a schedule that cycles one looks for it there.
  const isCycled = wrapper !== undefined && cyclesMomentum(scheduler);
  const settings = [`lr=${optimizer.lr}`, ...argumentsOf(optimizer, isCycled), ...more];
  const make = (parameters: string) =>
    wrapper === undefined
      ? `optimizer = torch.optim.${optimizer.type}(${[parameters, ...settings].join(', ')})`
      : `optimizer = ${wrapper}(${[parameters, `optimizer_class=torch.optim.${optimizer.type}`, ...settings].join(', ')})`;
  if (paramGroups.length === 0) return [make(all)];
  const groups = new Map<string, string>();
  for (const [k, group] of paramGroups.entries()) {
    const { match } = group;
    const own = groupArguments(at(groupSettings(config), k + 1), group);
    // A repeated pattern would never match, so only the first is kept.
    if (!groups.has(match)) groups.set(match, `{${own.join(', ')}}`);
  }
  if (!groups.has('*')) groups.set('*', '{}');
  // Escapes ? and [, which are special only in fnmatch.
  const glob = (match: string): string => python(match.replace(/[?[]/g, '[$&]'));
  const rows = [...groups].map(([match, own]) => `    ${glob(match)}: ${own},`);
  return [
    'groups = {  # a parameter is in the first group that its name matches',
    ...rows,
    '}',
    `for name, p in ${named}:`,
    ...(copies.size === 0 ? [] : [`    name = ${mapping(copies)}.get(name, name)  # of a shared weight`]),
    '    match = next(m for m in groups if fnmatchcase(name, m))',
    "    groups[match].setdefault('params', []).append(p)",
    make("[g for g in groups.values() if 'params' in g]"),
  ];
}

const mapping = (names: ReadonlyMap<string, string>): string =>
  `{${[...names].map(([name, source]) => `${python(name)}: ${python(source)}`).join(', ')}}`;

/** A group's own settings: `'momentum': 0.5`. Betas are a pair. */
function groupArguments(o: OptimizerConfig, group: Config['paramGroups'][number]): readonly string[] {
  const texts = ownSettings(group).map(([name, value]) => {
    if (name === 'beta1' || name === 'beta2') return 'beta1' in o ? `'betas': ${betas(o)}` : '';
    return `'${snakeCase(name)}': ${typeof value === 'boolean' ? (value ? 'True' : 'False') : value}`;
  });
  return [...new Set(texts)];
}

/**
 * The keyword arguments that differ from torch's defaults, in the order of torch's signature. `isCycled`: also the
 * momentum or the betas if they equal the defaults.
 */
function argumentsOf(optimizer: OptimizerConfig, isCycled: boolean): readonly string[] {
  const defaults = defaultsOf(optimizer.type);
  return Object.entries(defaults).flatMap(([name, fallback]) => {
    const value: unknown = Reflect.get(optimizer, name);
    if (name === 'beta1' && 'beta1' in optimizer)
      return value === fallback && optimizer.beta2 === defaults['beta2'] && !isCycled
        ? []
        : [`betas=${betas(optimizer)}`];
    if (name === 'lr' || name === 'beta2') return [];
    if (name === 'momentum' && isCycled) return [`momentum=${value}`];
    if (typeof value === 'number' && typeof fallback === 'number') return keyword(snakeCase(name), value, fallback);
    return typeof value === 'boolean' && typeof fallback === 'boolean' ? flag(snakeCase(name), value, fallback) : [];
  });
}

/** torch refuses a pair of an int and a float. */
const betas = (pair: { readonly beta1: number; readonly beta2: number }): string =>
  `(${[pair.beta1, pair.beta2].map((beta) => (Number.isInteger(beta) ? `${beta}.0` : beta)).join(', ')})`;

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export interface SchedulerCode {
  readonly lines: readonly string[];
  /** Lines that advance the schedule. */
  readonly step: readonly string[];
  /** Modules that it needs beside torch. */
  readonly imports: readonly string[];
}

export function schedulerCode(scheduler: SchedulerConfig | undefined): SchedulerCode {
  if (!scheduler) return { lines: [], step: [], imports: [] };
  const parts = scheduler.type === 'SequentialLR' ? scheduler.schedulers : [scheduler];
  const codes = parts.map((part, i) => schedule(part, parts.length > 1 ? String(i + 1) : ''));
  const definitions = codes.flatMap((code) => code.definition);
  const imports = parts.some((part) => part.type === 'WarmupCosine') ? ['import math'] : [];
  if (scheduler.type === 'SequentialLR') {
    return {
      lines: [
        ...definitions,
        'scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [',
        ...codes.map(({ make }) => `    ${make},`),
        `], milestones=[${scheduler.milestones.join(', ')}])`,
      ],
      step: ['scheduler.step()'],
      imports,
    };
  }
  return {
    lines: [...definitions, ...codes.map(({ make }) => `scheduler = ${make}`)],
    // OneCycleLR refuses steps beyond its end, so the last rate stays.
    step:
      scheduler.type === 'OneCycleLR'
        ? [`if scheduler.last_epoch < ${scheduler.totalSteps - 1}:`, '    scheduler.step()']
        : ['scheduler.step()'],
    imports,
  };
}

interface ScheduleCode {
  readonly definition: readonly string[];
  readonly make: string;
}

function schedule(s: Exclude<SchedulerConfig, { type: 'SequentialLR' }>, suffix: string): ScheduleCode {
  const of = (type: string, ...args: readonly string[]): ScheduleCode => ({
    definition: [],
    make: `torch.optim.lr_scheduler.${type}(${['optimizer', ...args].join(', ')})`,
  });
  switch (s.type) {
    case 'StepLR':
      return of(s.type, `step_size=${s.stepSize}`, ...keyword('gamma', s.gamma, 0.1));
    case 'MultiStepLR':
      return of(s.type, `milestones=[${s.milestones.join(', ')}]`, ...keyword('gamma', s.gamma, 0.1));
    case 'ExponentialLR':
      return of(s.type, `gamma=${s.gamma}`);
    case 'CosineAnnealingLR':
      return of(s.type, `T_max=${s.tMax}`, ...keyword('eta_min', s.etaMin, 0));
    case 'CosineAnnealingWarmRestarts':
      return of(s.type, `T_0=${s.t0}`, ...keyword('T_mult', s.tMult, 1), ...keyword('eta_min', s.etaMin, 0));
    case 'LinearLR':
      return of(
        s.type,
        ...keyword('start_factor', s.startFactor, 1 / 3),
        ...keyword('end_factor', s.endFactor, 1),
        ...keyword('total_iters', s.totalIters, 5),
      );
    case 'ConstantLR':
      return of(s.type, ...keyword('factor', s.factor, 1 / 3), ...keyword('total_iters', s.totalIters, 5));
    case 'PolynomialLR':
      return of(s.type, ...keyword('total_iters', s.totalIters, 5), ...keyword('power', s.power, 1));
    case 'OneCycleLR':
      return of(
        s.type,
        `max_lr=${s.maxLr}`,
        `total_steps=${s.totalSteps}`,
        ...keyword('pct_start', s.pctStart, 0.3),
        ...(s.annealStrategy === 'cos' ? [] : ["anneal_strategy='linear'"]),
        ...flag('cycle_momentum', s.cycleMomentum, true),
        ...keyword('base_momentum', s.baseMomentum, 0.85),
        ...keyword('max_momentum', s.maxMomentum, 0.95),
        ...keyword('div_factor', s.divFactor, 25),
        ...keyword('final_div_factor', s.finalDivFactor, 10_000),
        ...flag('three_phase', s.threePhase),
      );
    case 'CyclicLR':
      return of(
        s.type,
        `base_lr=${s.baseLr}`,
        `max_lr=${s.maxLr}`,
        ...keyword('step_size_up', s.stepSizeUp, 2000),
        ...(s.stepSizeDown === undefined ? [] : [`step_size_down=${s.stepSizeDown}`]),
        ...(s.mode === 'triangular' ? [] : [`mode='${s.mode}'`]),
        ...keyword('gamma', s.gamma, 1),
        ...flag('cycle_momentum', s.cycleMomentum, true),
        ...keyword('base_momentum', s.baseMomentum, 0.8),
        ...keyword('max_momentum', s.maxMomentum, 0.9),
      );
    case 'WarmupInverseSqrt': {
      const done = `(t + 1) / ${s.warmupSteps}`;
      return lambda([`    return min(${done}, (${done}) ** -0.5)`], suffix);
    }
    case 'WarmupCosine': {
      const { warmupSteps: warm, totalSteps, minFactor: low } = s;
      const warmup = warm === 0 ? [] : [`    if t < ${warm}:`, `        return t / ${warm}`];
      const done = `    done = min(1, ${warm === 0 ? 't' : `(t - ${warm})`} / ${Math.max(1, totalSteps - warm)})`;
      const wave = '0.5 * (1 + math.cos(math.pi * done))';
      return lambda([...warmup, done, `    return ${low} + (1 - ${low}) * ${wave}`], suffix);
    }
    default:
      return unreachable(s);
  }
}

const lambda = (body: readonly string[], suffix: string): ScheduleCode => ({
  definition: [`def factor${suffix}(t):`, ...body],
  make: `torch.optim.lr_scheduler.LambdaLR(optimizer, factor${suffix})`,
});
