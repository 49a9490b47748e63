/**
 * The lines of a tensor parallel run's PyTorch script: the mesh, the parallelize_plan, and tasks that torch leaves to
 * the script, such as regrouping the rows of packed queries, keys and values. torch needs the layout of each module's
 * input, so this file follows the layouts from layer to layer. Called by the mode's listing
 * (parallel/tensor/listing.ts).
 */
import type { LayerConfig } from '../../protocol/config';
import { POINTWISE_LAYERS } from '../../protocol/config/layer-kinds';
import { STYLE_NAMES, type StyleLayout, type StyleName } from '../../protocol/config/tensor';

/** The axes of the ranks. */
export interface TensorShape {
  readonly tp: number;
  /** Number of data parallel ranks per tensor rank. */
  readonly dp: number;
  /** With fully_shard around the layers: the axes of the data parallel ranks; absent: DistributedDataParallel. */
  readonly sharded?: { readonly dpReplicate: number; readonly dpShard: number } | undefined;
}

/** A module that the plan cuts. */
export interface PlannedStyle {
  readonly path: string;
  readonly layer: LayerConfig;
  /** Path of the module's transformer block, if any. */
  readonly block?: string | undefined;
  readonly style: StyleName;
  readonly output?: StyleLayout | undefined;
  readonly desiredInput?: StyleLayout | undefined;
  readonly desiredOutput?: StyleLayout | undefined;
  readonly localOutput?: boolean | undefined;
}

/** One module of the model, in the order of the forward pass; without a style it is whole. */
export type ListedModule = Omit<PlannedStyle, 'style'> & {
  readonly style?: StyleName | undefined;
  /** false: inside a module that forward() does not call. */
  readonly isCalled: boolean;
};

export function meshLines({ tp, dp, sharded }: TensorShape): readonly string[] {
  if (sharded) {
    const { dpReplicate, dpShard } = sharded;
    const made = (sizes: string, names: string) =>
      `mesh = init_device_mesh(device.type, (${sizes}), mesh_dim_names=(${names}))`;
    const shard = "mesh.get_local_rank('dp_shard')";
    return dpReplicate > 1
      ? [
          made(`${dpReplicate}, ${dpShard}, ${tp}`, "'dp_replicate', 'dp_shard', 'tp'"),
          `dp_rank = mesh.get_local_rank('dp_replicate') * ${dpShard} + ${shard}`,
        ]
      : [made(`${dpShard}, ${tp}`, "'dp_shard', 'tp'"), `dp_rank = ${shard}`];
  }
  return dp > 1
    ? [
        `mesh = init_device_mesh(device.type, (${dp}, ${tp}), mesh_dim_names=('dp', 'tp'))`,
        "dp_rank = mesh.get_local_rank('dp')",
      ]
    : [`mesh = init_device_mesh(device.type, (${tp},), mesh_dim_names=('tp',))`];
}

/** The part of the mesh that fully_shard takes. */
export const shardMesh = ({ dpReplicate }: { readonly dpReplicate: number }): string =>
  dpReplicate > 1 ? "mesh['dp_replicate', 'dp_shard']" : "mesh['dp_shard']";

export interface PlanCode {
  /** Names from torch.distributed.tensor.parallel and torch.distributed.tensor. */
  readonly styles: readonly string[];
  readonly placements: readonly string[];
  readonly lines: readonly string[];
}

/** The layout of a tensor between two modules. */
type Layout = 'Replicate()' | 'Shard(1)' | 'Shard(-1)';

export function planCode(modules: readonly ListedModule[], { tp }: TensorShape, lossParallel: boolean): PlanCode {
  const entries: { readonly key: string; readonly block: string | undefined; readonly text: string }[] = [];
  const comments: string[] = [];
  let layout: Layout = 'Replicate()';
  for (const [i, module] of modules.entries()) {
    const { path, layer, style, block } = module;
    if (style === undefined) {
      if (module.isCalled && layout === 'Shard(-1)' && !passes(layer))
        entries.push({ key: path, block, text: GATHERS_INPUT });
      if (module.isCalled) layout = layoutBehind(layer, layout);
      continue;
    }
    if (!hasTorchStyle(layer) && !PREPARES.has(style)) {
      comments.push(`# ${path}: torch has no style for ${layer.type}, so every rank computes the whole layer here`);
      continue;
    }
    if (!module.isCalled) {
      entries.push({ key: path, block, text: `${style}()` });
      continue;
    }
    const reader = readerOf(modules, i);
    const drops = reader !== undefined && dropsBefore(modules.slice(i, modules.indexOf(reader) + 1));
    const text = styleText(module, { layout, reader, tp, lossParallel, drops });
    entries.push({ key: path, block, text: text.code });
    layout = text.layout;
  }
  const rows = inPatterns(entries);
  const code = rows.map(({ text }) => text).join(' ');
  return {
    styles: STYLE_NAMES.filter((name) => code.includes(`${name}(`)),
    placements: ['Replicate', 'Shard'].filter((name) => code.includes(`${name}(`)),
    lines: [
      ...comments,
      ...(rows.length === 0
        ? ['plan = {}']
        : ['plan = {', ...rows.map(({ key, text }) => `    '${key}': ${text},`), '}']),
    ],
  };
}

/** The next module that the plan names or that is more than an elementwise function: it reads the module's output. */
export const readerOf = (modules: readonly ListedModule[], index: number): ListedModule | undefined =>
  modules.slice(index + 1).find((next) => next.isCalled && (next.style !== undefined || !passes(next.layer)));

const PREPARES: ReadonlySet<StyleName> = new Set(['PrepareModuleInput', 'PrepareModuleOutput']);

/** Whether torch's styles cut such a layer. Scripts compute other layers whole on every rank. */
export const hasTorchStyle = ({ type }: LayerConfig): boolean => TORCH_HAS.has(type);

const TORCH_HAS: ReadonlySet<LayerConfig['type']> = new Set(['Linear', 'Embedding', 'LayerNorm', 'Dropout']);

/** Whether the layer is elementwise: it keeps the layout of its input. */
const passes = ({ type }: LayerConfig): boolean => POINTWISE_LAYERS.has(type);

const layoutBehind = (layer: LayerConfig, layout: Layout): Layout => (passes(layer) ? layout : 'Replicate()');

/** A layer that every rank computes whole gathers its input itself. */
const GATHERS_INPUT =
  'PrepareModuleInput(input_layouts=Shard(-1), desired_input_layouts=Replicate(), use_local_output=True)';

/**
 * Whether a dropout is between a layer and its reader, the last of `stretch`, in one list of layers. Then each rank
 * drops elements of its own part, as in the run, and the reader gathers the parts.
 */
function dropsBefore(stretch: readonly ListedModule[]): boolean {
  const parents = stretch.map(({ path, block }) => block ?? path.split('.').slice(0, -1).join('.'));
  return (
    new Set(parents).size === 1 &&
    stretch.every(({ block }) => block === undefined) &&
    stretch.some(({ layer }) => layer.type === 'Dropout' && layer.p > 0)
  );
}

interface Around {
  /** Layout of the module's input. */
  readonly layout: Layout;
  readonly reader: ListedModule | undefined;
  readonly tp: number;
  readonly lossParallel: boolean;
  /** Whether a dropout is between the module and the reader. */
  readonly drops: boolean;
}

function styleText(module: ListedModule, around: Around): { readonly code: string; readonly layout: Layout } {
  const { layer, style, output } = module;
  const { layout, reader, tp, lossParallel, drops } = around;
  const call = (args: readonly string[], behind: Layout) => ({ code: `${style}(${args.join(', ')})`, layout: behind });
  const given = layoutOf(output);
  const local = module.localOutput === false ? ['use_local_output=False'] : [];
  if (style === 'PrepareModuleInput') {
    const desired = layoutOf(module.desiredInput);
    // Without use_local_output=True torch gives the module a DTensor, which does not work with its plain parameters.
    const asLocal = local.length === 0 ? ['use_local_output=True'] : [];
    return call(
      [`input_layouts=${layout}`, `desired_input_layouts=${desired}`, ...asLocal],
      layoutBehind(layer, desired),
    );
  }
  if (style === 'PrepareModuleOutput') {
    const desired = layoutOf(module.desiredOutput);
    const behind = layoutBehind(layer, layout);
    return call([`output_layouts=${behind}`, `desired_output_layouts=${desired}`, ...local], desired);
  }
  // pos(arange) has no batch dimension: its first dimension is the sequence.
  const handed = given === 'Shard(1)' && isPositions(module) ? 'Shard(0)' : given;
  // Without use_local_output=True the output of SequenceParallel is a DTensor.
  if (style === 'SequenceParallel') return call(module.localOutput ? ['use_local_output=True'] : [], 'Shard(1)');
  if (style === 'RowwiseParallel') {
    const usual = layer.type === 'Embedding' ? undefined : 'Shard(-1)';
    const takes = layer.type === 'Embedding' ? 'Replicate()' : layout;
    return call(
      [
        ...(takes === usual ? [] : [`input_layouts=${takes}`]),
        ...(given === 'Replicate()' ? [] : [`output_layouts=${handed}`]),
        ...local,
      ],
      given,
    );
  }
  const takes = layout === 'Replicate()' ? [] : [`input_layouts=${layout}`];
  if (reader === undefined && lossParallel) return call([...takes, 'use_local_output=False'], 'Shard(-1)');
  // Heads of the packed product stay cut for a reader that multiplies by rows.
  const gathersThere = drops && !isUneven(layer, tp) && (reader?.style ?? 'ColwiseParallel') === 'ColwiseParallel';
  const staysCut = output === 'Shard(-1)' || (output === undefined && (keepsCut(reader) || gathersThere));
  if (!staysCut) return call([...takes, `output_layouts=${handed}`, ...local], given);
  return call([...takes, ...(isUneven(layer, tp) ? ['use_local_output=False'] : local)], 'Shard(-1)');
}

/** Whether a module takes its input in columns. */
const keepsCut = (reader: ListedModule | undefined): boolean =>
  reader?.style === 'RowwiseParallel' || (reader?.style !== undefined && PREPARES.has(reader.style));

/** Whether ranks have different numbers of columns: a plain part does not tell how many columns the whole has. */
export const isUneven = (layer: LayerConfig, tp: number): boolean => layer.type === 'Linear' && layer.out % tp > 0;

const layoutOf = (layout: StyleLayout | undefined): Layout =>
  layout === undefined || layout === 'Replicate' ? 'Replicate()' : layout;

export const isPositions = ({ path }: Pick<ListedModule, 'path'>): boolean => /(^|[.])pos$/.test(path);

/** If all blocks are in one list ('blocks.0', 'blocks.1') and have the same entry, one pattern covers all. */
function inPatterns(
  entries: readonly { readonly key: string; readonly block: string | undefined; readonly text: string }[],
): readonly { readonly key: string; readonly text: string }[] {
  const blocks = new Set(entries.flatMap(({ block }) => block ?? []));
  const lists = [...new Set([...blocks].map((block) => block.slice(0, Math.max(0, block.lastIndexOf('.')))))];
  const rows = new Map<string, string>();
  for (const { key, block, text } of entries) {
    const child = block === undefined ? undefined : key.slice(block.length + 1);
    const alike = entries.filter((other) => other.block !== undefined && other.key === `${other.block}.${child}`);
    const list = lists.length === 1 ? lists[0] : undefined;
    const isPattern =
      list && blocks.size > 1 && alike.length === blocks.size && alike.every((other) => other.text === text);
    rows.set(isPattern ? `${list}.*.${child}` : key, text);
  }
  return [...rows].map(([key, text]) => ({ key, text }));
}

/** The name of the class of `scalerLines`. */
export const PARTS_SCALER = 'PartsScaler';

/**
 * torch.amp.GradScaler takes no DTensors beside plain tensors, and the ranks of a group must skip a step together. The
 * method is the one that torch.distributed.fsdp.sharded_grad_scaler overrides, too.
 */
export const scalerLines: readonly string[] = [
  `class ${PARTS_SCALER}(torch.amp.GradScaler):  # also for DTensors beside plain tensors`,
  '    def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):',
  "        grads = [p.grad for group in optimizer.param_groups for p in group['params'] if p.grad is not None]",
  '        parts = [g.to_local() if isinstance(g, DTensor) else g for g in grads]',
  '        torch._amp_foreach_non_finite_check_and_unscale_(parts, found_inf, inv_scale)',
  '        torch.distributed.all_reduce(found_inf, torch.distributed.ReduceOp.MAX)  # if one rank skips, all skip',
  '        return {found_inf.device: found_inf}',
];

/** Cuts the layers of the stages that this rank has: a stage is a part of the model, whose names the plan has. */
export const cutStageLines: readonly string[] = [
  'layers_here = {layer for module in modules for layer in module.modules()}',
  'for path, layer in model.named_modules():',
  '    for pattern, style in plan.items():',
  '        if layer in layers_here and fnmatch(path, pattern):',
  "            parallelize_module(layer, mesh['tp'], style)",
];

/** torch cuts the rows of a weight into runs, so the rows of packed queries, keys and values are regrouped by heads. */
export const headLines: readonly string[] = [
  'for block in model.modules():',
  '    if isinstance(block, Block):  # for each rank the queries, keys and values of its own heads',
  "        tp = mesh['tp'].size()",
  '        for p in block.qkv.parameters():',
  '            parts = p.data.unflatten(0, (3, tp, -1))',
  '            p.data = parts.transpose(0, 1).flatten(0, 2).contiguous()',
  '        block.heads //= tp',
];
