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
  readerOf,
  type TensorShape,
} from '../../interop/pytorch/tensor';
import type { Config } from '../../protocol/config';
import { listedModules } from './listed-modules';
import { isLossParallel } from './plan';
import { unevenBorders } from './uneven-borders';

export interface ListedCuts {
  readonly plan: PlanCode;
  /** Whether ranks have heads of their own, for which the rows of packed queries, keys and values are regrouped. */
  readonly cutsHeads: boolean;
  /** Whether loss_parallel() has an effect: the last layer's output is a DTensor. */
  readonly lossParallel: boolean;
  classesOf(classes: readonly string[]): readonly string[];
  /** `placements`: further names of torch.distributed.tensor, such as DTensor. */
  imports(placements: readonly string[]): readonly string[];
}

/** `config`: with its plan (withPlan); `stageOf`: the stage of a module, by its path. */
export function listedCuts(
  config: Config,
  shape: TensorShape,
  stageOf: (path: string) => number = () => 0,
): ListedCuts {
  const { modules, comments } = handedOn(listedModules(config), shape, stageOf);
  // Of whole outputs, loss_parallel() leaves the loss a plain tensor, and a script has no use for it.
  const lossParallel = isLossParallel(config) && outputIsDTensor(modules);
  const made = planCode(modules, shape, lossParallel);
  const plan = { ...made, lines: [...comments, ...made.lines] };
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

const outputIsDTensor = (modules: readonly ListedModule[]): boolean =>
  modules.some(
    ({ isCalled, style, localOutput }, i) =>
      isCalled && readerOf(modules, i) === undefined && (style === 'ColwiseParallel' || localOutput === false),
  );

/** Of a pipeline: what a stage hands on is local, and the pairs of unevenBorders are whole. */
function handedOn(
  modules: readonly ListedModule[],
  { tp }: TensorShape,
  stageOf: (path: string) => number,
): { readonly modules: readonly ListedModule[]; readonly comments: readonly string[] } {
  const pairs = unevenBorders(modules, tp, stageOf);
  const whole = new Set(pairs.flat());
  const found = modules.map((module, i): ListedModule => {
    if (whole.has(module.path)) return { ...module, style: undefined };
    const reader = readerOf(modules, i);
    if (reader === undefined || stageOf(module.path) === stageOf(reader.path)) return module;
    const { localOutput, ...rest } = module;
    return localOutput === false ? rest : module;
  });
  const comments = pairs.map(
    (pair) =>
      `# ${pair.join(', ')}: a stage cannot hand on parts of different widths, so every rank computes the whole layers here`,
  );
  return { modules: found, comments };
}

export const ROWS_BY_RANK =
  '# the rows of qkv are regrouped so that each rank has whole heads; a report of this script has them in that order';

const namesFrom = (module: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`from ${module} import ${names.toSorted().join(', ')}`];

const isCutPosition = (module: ListedModule): boolean => module.style !== undefined && isPositions(module);
