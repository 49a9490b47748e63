/**
 * The plan of a run, from the settings or made for the model: as styles by module, and as placements for the pass
 * graph/partition. Called by this folder and by the mode pipeline, whose stages may be cut, too.
 */
import { GraphBuilder } from '../../graph/graph';
import { partition } from '../../graph/partition/partition';
import type { Partitioned } from '../../graph/partition/partitioned';
import type { Plan } from '../../graph/partition/plan';
import { fitsModule, type MadePlan, type ParallelStyle, planOf } from '../../graph/partition/styles';
import { buildLoss } from '../../nn/losses';
import { buildForward } from '../../nn/model';
import type { Config } from '../../protocol/config';
import type { StyleConfig } from '../../protocol/config/tensor';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { ModeInput } from '../mode-input';
import { autoPlan } from './auto-plan';

/** The configuration with its plan written out. */
export function withPlan(config: Config): Config {
  const { plan, lossParallel } = config.tensor;
  const made = autoPlan(config, meshSizes(config).tp);
  return {
    ...config,
    tensor:
      plan === undefined
        ? { ...made, ...(lossParallel === undefined ? {} : { lossParallel }) }
        : { plan, lossParallel: lossParallel ?? false },
  };
}

/** loss_parallel() works on cross_entropy alone; another loss gets whole outputs. */
export const isLossParallel = ({ tensor, loss }: Pick<Config, 'tensor' | 'loss'>): boolean =>
  tensor.lossParallel === true && loss.type === 'CrossEntropyLoss';

/** The placements of a settled configuration's plan. */
export function madePlan({ model, tensor: { plan = {}, lossParallel = false } }: Config): MadePlan {
  const styles = Object.entries(plan).map(([module, style]) => [module, styleOf(style)] as const);
  return planOf({ axis: 'tp', styles, lossParallel }, model.layers);
}

const styleOf = (style: StyleConfig): ParallelStyle =>
  typeof style === 'string'
    ? { style }
    : {
        style: style.style,
        input: style.inputLayouts,
        desiredInput: style.desiredInputLayouts,
        output: style.outputLayouts,
        desiredOutput: style.desiredOutputLayouts,
        localOutput: style.useLocalOutput,
      };

/** Returns a function from a module's path to its style; {} for a module that stays whole. */
export function styleOfModule(config: Config) {
  const entryOf = entryOfModule(config);
  return (path: string): Partial<ParallelStyle> => {
    const found = entryOf(path);
    return found === undefined ? {} : styleOf(found);
  };
}

/** Returns a function from a module's path to its entry in the plan. */
export function entryOfModule({ tensor: { plan = {} } }: Config) {
  const entries = Object.entries(plan);
  return (path: string): StyleConfig | undefined => entries.find(([pattern]) => fitsModule(pattern, path))?.[1];
}

export const planIn = (config: Config): Plan => madePlan(config).plan;

/** The cuts do not depend on the number of rows. */
const ROWS = 2;

/**
 * The forward graph of the whole model, cut for one rank of a tensor group; includes the loss unless `withLoss` is
 * false.
 */
export function cutModel(input: ModeInput, index: number, { withLoss = true } = {}): Partitioned {
  const { config, ops, inputShape, inputType, targetShape, targetType } = input;
  const whole = new GraphBuilder(ops);
  const x = whole.value('x', { shape: [ROWS, ...inputShape], dtype: inputType }, 'input');
  const { output } = buildForward(whole, config.model.layers, x);
  if (withLoss) {
    const y = whole.value('y', { shape: [ROWS, ...targetShape], dtype: targetType }, 'target');
    buildLoss(whole, config.loss, output, y);
  }
  const rank = { index, count: meshSizes(config).tp };
  return partition(whole.finish(), new GraphBuilder(ops), { plan: planIn(config), rank });
}
