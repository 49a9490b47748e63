/**
 * Loss, optimiser and learning rate in Keras, with PyTorch's defaults written out where Keras has others. What Keras
 * has no argument for is refused (missing.ts). Called by script.ts.
 */
import { unreachable } from '../../base/invariant';
import type { KerasArgument } from '../../optim/optimizer-row';
import { rowOf } from '../../optim/optimizers';
import type { Config, LossConfig, OptimizerConfig, SchedulerConfig } from '../../protocol/config';
import { isDecoupled } from '../../protocol/config/optimizer-kinds';
import { flag } from '../pytorch/python';
import { missing } from './missing';

export interface KerasLoss {
  readonly make: string;
  /** Python expression of a loss for each sample, from `y` and `output`; lines before it. */
  readonly perSample: readonly string[];
}

export function kerasLoss({ loss, data }: Config): KerasLoss {
  if (loss.reduction === 'sum')
    throw missing(`${loss.type} with reduction sum`, 'Under tf.distribute a loss is averaged over the global batch.');
  const { make, call } = lossCode(loss, data.type === 'sequence');
  if (data.type === 'text') return { make, perSample: [`losses = tf.reduce_mean(${call}, axis=1)`] };
  if (data.type !== 'sequence') return { make, perSample: [`losses = ${call}`] };
  return {
    make,
    perSample: [
      'asked = tf.cast(y != -100, tf.float32)',
      `losses = tf.reduce_sum(${call} * asked, axis=1) / tf.reduce_sum(asked, axis=1)`,
    ],
  };
}

function lossCode(loss: LossConfig, ignores: boolean): { readonly make: string; readonly call: string } {
  const of = (name: string, ...args: readonly string[]) => ({
    make: `tf.keras.losses.${name}(${[...args, "reduction='none'"].join(', ')})`,
    call: 'loss_fn(y, output)',
  });
  switch (loss.type) {
    case 'MSELoss':
      return of('MeanSquaredError');
    case 'L1Loss':
      return of('MeanAbsoluteError');
    case 'SmoothL1Loss':
      if (loss.beta === 0) return of('MeanAbsoluteError');
      return { ...of('Huber', `delta=${loss.beta}`), call: over('loss_fn(y, output)', loss.beta) };
    case 'HuberLoss':
      return of('Huber', `delta=${loss.delta}`);
    case 'BCEWithLogitsLoss':
      if (loss.posWeight)
        throw missing('posWeight', 'tf.nn.weighted_cross_entropy_with_logits is a function, not a loss of Keras.');
      return of('BinaryCrossentropy', 'from_logits=True');
    case 'CrossEntropyLoss': {
      if (loss.classWeights) throw missing('classWeights', 'class_weight of Model.fit computes another mean.');
      if ((loss.ignoreIndex ?? -100) !== -100)
        throw missing(`ignoreIndex ${loss.ignoreIndex}`, "Keras's ignore_class counts ignored rows in the mean.");
      const smoothing = loss.labelSmoothing ?? 0;
      if (smoothing === 0)
        return of('SparseCategoricalCrossentropy', 'from_logits=True', ...(ignores ? ['ignore_class=-100'] : []));
      if (ignores) throw missing('labelSmoothing with ignored tokens', 'Only the sparse loss has ignore_class.');
      return {
        ...of('CategoricalCrossentropy', 'from_logits=True', `label_smoothing=${smoothing}`),
        call: 'loss_fn(tf.one_hot(y, output.shape[-1]), output)',
      };
    }
    case 'NLLLoss':
      throw missing('NLLLoss', 'CrossEntropyLoss without the LogSoftmax layer has a counterpart.');
    default:
      return unreachable(loss);
  }
}

const over = (call: string, beta: number): string => (beta === 1 ? call : `${call} / ${beta}`);

/** The part of `weightDecay` that Keras has no argument for: what torch adds to the gradients, as a penalty. */
export const penaltyOf = ({ optimizer }: Config): number => (isDecoupled(optimizer) ? 0 : optimizer.weightDecay);

export function kerasOptimizer(config: Config): readonly string[] {
  const { optimizer, scheduler } = config;
  const rate = scheduler ? rateOf(scheduler, optimizer.lr) : undefined;
  const name = rowOf(optimizer).kerasName ?? optimizer.type;
  const args = [rate ?? `${optimizer.lr}`, ...argumentsOf(optimizer), ...clipping(config)];
  return [`optimizer = tf.keras.optimizers.${name}(${args.join(', ')})`];
}

function argumentsOf(o: OptimizerConfig): readonly string[] {
  if ('maximize' in o && o.maximize) throw missing(`${o.type} with maximize`, 'Negate the loss instead.');
  const found = rowOf(o).keras?.(o) ?? { lacks: o.type, because: 'tf.keras.optimizers does not have it.' };
  if ('lacks' in found) throw missing(found.lacks, found.because);
  // Keras's weight_decay is the decoupled one.
  const decay = isDecoupled(o) ? [`weight_decay=${o.weightDecay}`] : [];
  return [...decay, ...found.flatMap(printed)];
}

const printed = ([name, value, theirs]: KerasArgument): readonly string[] => {
  if (typeof value === 'boolean') return flag(name, value, theirs === true);
  return value === theirs ? [] : [`${name}=${value}`];
};

function clipping({ clipGradNorm: norm, clipGradNormType: type = 2, clipGradValue: value }: Config): readonly string[] {
  if (norm !== undefined && value !== undefined)
    throw missing('clipGradNorm together with clipGradValue', 'A Keras optimizer accepts only one clip argument.');
  if (norm !== undefined && type !== 2) throw missing(`clipGradNormType ${type}`, 'global_clipnorm is the 2-norm.');
  return [
    ...(norm === undefined ? [] : [`global_clipnorm=${norm}`]),
    ...(value === undefined ? [] : [`clipvalue=${value}`]),
  ];
}

/** The schedules that Keras has, step by step as torch's. */
function rateOf(schedule: SchedulerConfig, lr: number): string {
  const of = (name: string, ...args: readonly (string | number)[]): string =>
    `tf.keras.optimizers.schedules.${name}(${[lr, ...args].join(', ')})`;
  if (schedule.every === 'step') {
    if (schedule.type === 'StepLR') return of('ExponentialDecay', schedule.stepSize, schedule.gamma, 'staircase=True');
    if (schedule.type === 'ExponentialLR') return of('ExponentialDecay', 1, schedule.gamma);
    if (schedule.type === 'PolynomialLR') return of('PolynomialDecay', schedule.totalIters, 0, schedule.power);
    if (schedule.type === 'CosineAnnealingLR' && lr > 0)
      return of('CosineDecay', schedule.tMax, `alpha=${schedule.etaMin / lr}`);
  }
  throw missing(
    `the schedule ${schedule.type}${schedule.every === 'epoch' ? ' every epoch' : ''}`,
    'StepLR, ExponentialLR, PolynomialLR and CosineAnnealingLR have one if they step every step.',
  );
}
