/**
 * What a script says about the cuts of a plan, for a model on one tensor group and for the stages of a pipeline: the
 * plan, the names that it needs, and the classes whose code changes. Called by the listings of both modes.
 */
import { calledPositions, localHeads } from '../../interop/pytorch/classes';
import {
  isPositions,
  type ListedModule,
  type PlanCode,
  planCode,
  type TensorShape,
} from '../../interop/pytorch/tensor';
import type { Config } from '../../protocol/config';
import { listedModules } from './listed-modules';

export interface ListedCuts {
  readonly plan: PlanCode;
  /** Whether ranks have heads of their own, for which the rows of packed queries, keys and values are regrouped. */
  readonly cutsHeads: boolean;
  readonly lossParallel: boolean;
  classesOf(classes: readonly string[]): readonly string[];
  /** `placements`: further names of torch.distributed.tensor, such as DTensor. */
  imports(placements: readonly string[]): readonly string[];
}

/** `config`: with its plan (withPlan). */
export function listedCuts(config: Config, shape: TensorShape): ListedCuts {
  const { lossParallel = false } = config.tensor;
  const modules = listedModules(config);
  const plan = planCode(modules, shape, lossParallel);
  const cutsHeads = modules.some(({ path, style }) => style === 'ColwiseParallel' && /(^|[.])qkv$/.test(path));
  return {
    ...{ plan, cutsHeads, lossParallel },
    classesOf(classes) {
      const called = modules.some(isCutPosition) ? calledPositions(classes) : classes;
      return cutsHeads ? localHeads(called) : called;
    },
    imports: (placements) => [
      ...namesFrom('torch.distributed.tensor', [...plan.placements, ...placements]),
      ...namesFrom('torch.distributed.tensor.parallel', [
        ...plan.styles,
        'parallelize_module',
        ...(lossParallel ? ['loss_parallel'] : []),
      ]),
    ],
  };
}

export const OWN_MASKS =
  '# dropout: the run has one mask for all parts of a tensor; here each rank draws one for its part, and the losses differ';
export const ROWS_BY_RANK =
  '# the rows of qkv are regrouped so that each rank has whole heads; a report of this script has them in that order';
const namesFrom = (module: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`from ${module} import ${names.toSorted().join(', ')}`];

const isCutPosition = (module: ListedModule): boolean => module.style !== undefined && isPositions(module);
