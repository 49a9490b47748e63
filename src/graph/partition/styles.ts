/**
 * parallelize_plan of torch.distributed.tensor.parallel: a style for each module, by its path or by a pattern in which
 * `*` stands for one part of a path ('blocks.*.qkv'); this file turns it into a Plan of placements. torch's users must
 * state the layouts of module inputs; here they are known. Styles that torch lacks: Conv2d and BatchNorm2d by channels,
 * and MultiheadAttention by heads. Packed queries, keys and values are cut separately; torch users regroup their rows.
 */
import { LockstepError } from '../../base/errors';
import type { LayerConfig, LayerType } from '../../protocol/config';
import type { StyleLayout, StyleName } from '../../protocol/config/tensor';
import type { Axis } from '../../protocol/mesh';
import { childrenOf, parametersOf } from '../../shapes/parameters';
import { type Placement, REPLICATE, shard } from '../../sharding/placement';
import type { LayoutsOf, Plan } from './plan';
import { samePlacement, wordsOf } from './rule';

export interface ParallelStyle {
  readonly style: StyleName;
  readonly input?: StyleLayout | undefined;
  readonly desiredInput?: StyleLayout | undefined;
  /**
   * Layout of the module's output; by default torch's: Shard(-1) after ColwiseParallel, Replicate() after
   * RowwiseParallel.
   */
  readonly output?: StyleLayout | undefined;
  readonly desiredOutput?: StyleLayout | undefined;
  readonly localOutput?: boolean | undefined;
}

export interface PlanInput {
  readonly axis: Axis;
  /** Styles by path or pattern; the first match wins. */
  readonly styles: readonly (readonly [module: string, style: ParallelStyle])[];
  readonly lossParallel: boolean;
}

export interface MadePlan {
  readonly plan: Plan;
  /** Entries that match no module. torch warns about them and continues. */
  readonly unmatched: readonly string[];
}

interface PlannedModule {
  readonly path: string;
  readonly layer: LayerConfig;
  readonly parent: LayerConfig | undefined;
}

export function planOf({ axis, styles, lossParallel }: PlanInput, layers: readonly LayerConfig[]): MadePlan {
  const draft = new PlanDraft();
  const modules = modulesOf(layers);
  const matched = new Set<string>();
  for (const module of modules) {
    const found = styles.find(([pattern]) => fitsModule(pattern, module.path));
    if (!found) continue;
    const [pattern, style] = found;
    matched.add(pattern);
    checkArguments(style);
    APPLY[style.style](draft, module, style);
  }
  checkShared(draft, modules);
  const { tensors, inputs, values, layouts } = draft;
  return {
    plan: { axis, lossParallel, tensors, inputs, values, layouts },
    unmatched: styles.flatMap(([pattern]) => (matched.has(pattern) ? [] : [pattern])),
  };
}

/** A module that reads a cut weight without being in the plan gives DTensors and plain tensors to one operator. */
function checkShared({ cutBy }: PlanDraft, modules: readonly PlannedModule[]): void {
  for (const [source, sharing] of sharedWeights(modules)) {
    const cuts = cutBy.get(source) ?? 0;
    if (cuts === 0 || cuts === sharing.length) continue;
    throw new LockstepError(
      'config',
      `the modules ${sharing.join(' and ')} share ${source}, and the plan names only ${cuts} of them. parallelize_module then gives each named module a parameter of its own, without a warning. If the script shares the weight again, PyTorch stops: “got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!”`,
      'Name all of these modules, or none.',
    );
  }
}

/** Modules that share a weight, by the weight: 'tok.weight' and 'tok', 'head'. */
export function sharedWeights(modules: readonly PlannedModule[]): ReadonlyMap<string, readonly string[]> {
  const shared = new Map<string, readonly string[]>();
  for (const { path, layer } of modules) {
    if (layer.type !== 'Linear' || layer.tied === undefined) continue;
    const owner = layer.tied.replace(/\.?[^.]*$/, '');
    shared.set(layer.tied, [...(shared.get(layer.tied) ?? [owner]), path]);
  }
  return shared;
}

/** All modules by path, in the order of the forward pass. */
export function modulesOf(layers: readonly LayerConfig[]): readonly PlannedModule[] {
  const walk = (layer: LayerConfig, path: string, parent: LayerConfig | undefined): readonly PlannedModule[] => [
    { path, layer, parent },
    ...childrenOf(layer).flatMap(([name, child]) => walk(child, path === '' ? name : `${path}.${name}`, layer)),
  ];
  return layers.flatMap((layer, i) => walk(layer, layer.name ?? String(i), undefined));
}

/** Whether an entry of a plan names the module. */
export function fitsModule(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split('.'), path.split('.')];
  return wanted.length === parts.length && wanted.every((part, i) => part === '*' || part === parts[i]);
}

class PlanDraft {
  readonly tensors = new Map<string, Placement>();
  readonly inputs = new Map<string, Placement>();
  readonly values = new Map<string, Placement>();
  readonly layouts = new Map<string, LayoutsOf>();
  /** How many modules of the plan have a part of the tensor. */
  readonly cutBy = new Map<string, number>();

  /** A tensor that two modules share has one placement. */
  tensor(name: string, placement: Placement): void {
    const before = this.tensors.get(name);
    if (before !== undefined && !samePlacement(before, placement))
      throw new LockstepError(
        'config',
        `${name} is shared by two modules of the plan, and one wants ${wordsOf(before)}, the other ${wordsOf(placement)}.`,
        'Give both modules styles that cut the tensor in the same way.',
      );
    this.tensors.set(name, placement);
    this.cutBy.set(name, (this.cutBy.get(name) ?? 0) + 1);
  }
}

type Apply = (draft: PlanDraft, module: PlannedModule, style: ParallelStyle) => void;

const APPLY: Readonly<Record<StyleName, Apply>> = {
  ColwiseParallel: colwise,
  RowwiseParallel: rowwise,
  SequenceParallel: sequence,
  PrepareModuleInput: prepareInput,
  PrepareModuleOutput: prepareOutput,
};

/** Features are dimension -1: the plan does not know how many dimensions a tensor has. */
const placementOfLayout = (layout: StyleLayout): Placement =>
  layout === 'Replicate' ? REPLICATE : shard(layout === 'Shard(1)' ? 1 : -1);

const placementIf = (layout: StyleLayout | undefined): Placement | undefined => layout && placementOfLayout(layout);

type Argument = Exclude<keyof ParallelStyle, 'style'>;

/** For each property of ParallelStyle, the name of the setting in an entry of the plan. */
const ARGUMENTS: Readonly<Record<Argument, string>> = {
  input: 'inputLayouts',
  desiredInput: 'desiredInputLayouts',
  output: 'outputLayouts',
  desiredOutput: 'desiredOutputLayouts',
  localOutput: 'useLocalOutput',
};
const OF_CUTS: readonly Argument[] = ['input', 'output', 'localOutput'];
/** The arguments that torch's style has. A style that begins with a desired layout needs this argument. */
const ARGUMENTS_OF: Readonly<Record<StyleName, readonly Argument[]>> = {
  ColwiseParallel: OF_CUTS,
  RowwiseParallel: OF_CUTS,
  SequenceParallel: ['localOutput'],
  PrepareModuleInput: ['desiredInput', 'input', 'localOutput'],
  PrepareModuleOutput: ['desiredOutput', 'output', 'localOutput'],
};

function checkArguments(given: ParallelStyle): void {
  const { style } = given;
  const known = ARGUMENTS_OF[style];
  const [needed] = known;
  if (needed?.startsWith('desired') && given[needed] === undefined)
    throw new LockstepError(
      'config',
      `${style} needs ${ARGUMENTS[needed]}.`,
      `Write {"style": "${style}", "${ARGUMENTS[needed]}": "Replicate"}, or another layout.`,
    );
  const foreign = (Object.keys(ARGUMENTS) as Argument[]).find(
    (name) => given[name] !== undefined && !known.includes(name),
  );
  if (foreign !== undefined)
    throw new LockstepError(
      'config',
      `${style} has no ${ARGUMENTS[foreign]}.`,
      `It takes ${known.map((name) => ARGUMENTS[name]).join(', ')}.`,
    );
}

/** Placements of the module's own tensors, by their names in the state_dict. */
function place({ path, layer }: PlannedModule, of: (name: string) => Placement, draft: PlanDraft): void {
  const full = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const { name } of parametersOf(layer)) draft.tensor(full(name), of(name));
  if (layer.type === 'Linear' && layer.tied !== undefined) draft.tensor(layer.tied, of('weight'));
  if (layer.type === 'BatchNorm1d' || layer.type === 'BatchNorm2d')
    for (const name of ['running_mean', 'running_var']) draft.tensor(full(name), of(name));
}

function colwise(draft: PlanDraft, module: PlannedModule, { input, output }: ParallelStyle): void {
  const { layer, path, parent } = module;
  draft.layouts.set(path, { input: placementIf(input) });
  switch (layer.type) {
    case 'Linear': {
      const rows = shard(0, parent?.type === 'TransformerBlock' && path.endsWith('qkv') ? 3 : 1);
      place(module, () => rows, draft);
      break;
    }
    case 'Embedding':
      place(module, () => shard(1), draft);
      if (isPositions(module)) draft.values.set(`${path}.weight`, output === 'Replicate' ? REPLICATE : shard(1));
      break;
    case 'MultiheadAttention':
      place(
        module,
        (name) => (name.startsWith('in_') ? shard(0, 3) : name.endsWith('weight') ? shard(1) : REPLICATE),
        draft,
      );
      break;
    case 'Conv2d':
    case 'BatchNorm2d':
      place(module, () => shard(0), draft);
      break;
    default:
      throw unsupported('ColwiseParallel', layer.type);
  }
  if (output !== undefined && output !== 'Shard(-1)') draft.values.set(`${path}.out`, placementOfLayout(output));
}

function rowwise(draft: PlanDraft, module: PlannedModule, { input, output = 'Replicate' }: ParallelStyle): void {
  const { layer, path } = module;
  draft.layouts.set(path, { input: placementIf(input) });
  switch (layer.type) {
    case 'Linear':
    case 'Conv2d':
      place(module, (name) => (name === 'weight' ? shard(1) : REPLICATE), draft);
      break;
    case 'Embedding':
      place(module, () => shard(0), draft);
      // Its rows are the positions of a sequence, so its first dimension is the sequence.
      if (isPositions(module)) draft.values.set(`${path}.weight`, output === 'Shard(1)' ? shard(0) : REPLICATE);
      break;
    default:
      throw unsupported('RowwiseParallel', layer.type);
  }
  draft.values.set(`${path}.out`, placementOfLayout(output));
}

/**
 * Brings the module's input to a layout. The module itself stays whole, so only a module without parameters may get a
 * cut input.
 */
function prepareInput(draft: PlanDraft, module: PlannedModule, style: ParallelStyle): void {
  const { path, layer } = module;
  const desired = style.desiredInput ?? 'Replicate';
  checkIsLeaf('PrepareModuleInput', module);
  if (desired !== 'Replicate' && parametersOf(layer).length > 0)
    throw new LockstepError(
      'config',
      `PrepareModuleInput brings the input of ${path} to ${desired}, and the parameters of ${path} are whole on every rank: torch would leave each rank with the gradient of its own part.`,
      `Take desiredInputLayouts "Replicate", or give ${path} a style that cuts its parameters.`,
    );
  draft.inputs.set(path, placementOfLayout(desired));
  draft.layouts.set(path, { input: placementIf(style.input) });
}

function prepareOutput(draft: PlanDraft, module: PlannedModule, style: ParallelStyle): void {
  checkIsLeaf('PrepareModuleOutput', module);
  draft.values.set(`${module.path}.out`, placementOfLayout(style.desiredOutput ?? 'Replicate'));
  draft.layouts.set(module.path, { output: placementIf(style.output) });
}

function checkIsLeaf(style: StyleName, { path, layer }: PlannedModule): void {
  if (childrenOf(layer).length === 0) return;
  throw new LockstepError(
    'config',
    `${style} takes modules without modules of their own in this playground, and ${path} is a ${layer.type}.`,
    `Name one of its modules, as ${path}.${childrenOf(layer)[0]?.[0]}.`,
  );
}

/** pos(arange(T)): the graph uses the weight directly, without a lookup node. */
const isPositions = ({ parent, path }: PlannedModule): boolean =>
  parent?.type === 'TokenEmbedding' && /(^|[.])pos$/.test(path);

const OF_ROWS: ReadonlySet<LayerType> = new Set<LayerType>(['LayerNorm', 'Dropout']);

function sequence(draft: PlanDraft, { layer, path }: PlannedModule): void {
  if (!OF_ROWS.has(layer.type)) throw unsupported('SequenceParallel', layer.type);
  draft.inputs.set(path, shard(1));
}

const SUPPORTED: Readonly<Record<StyleName, string>> = {
  ColwiseParallel: 'Linear, Embedding, Conv2d, BatchNorm2d and MultiheadAttention',
  RowwiseParallel: 'Linear, Embedding and Conv2d',
  SequenceParallel: 'LayerNorm and Dropout',
  PrepareModuleInput: 'every module',
  PrepareModuleOutput: 'every module',
};

const unsupported = (style: StyleName, type: LayerType): LockstepError =>
  new LockstepError('config', `${style} does not support ${type}.`, `${style} takes ${SUPPORTED[style]}.`);
