/**
 * The lines of a pipeline's PyTorch script: ranks and mesh, the stages of a rank, and the schedule. Called by the
 * pipeline's listing (parallel/pipeline/listing.ts), which chooses the lines that a run needs.
 */
import type { Config } from '../../protocol/config';
import type { ScheduleName } from '../../protocol/pipeline';
import { hookImports } from './comm-hooks';
import { lossCall } from './loop';
import { type FilledBatches, fillingLines, rowsTest, weightedLoss } from './pipeline-fill';
import { firstScale, scaledLoss } from './pipeline-scaler';
import { layout } from './python';

/** How a pipeline is placed on its ranks. */
export interface PipelineShape extends FilledBatches {
  /** Ranks of a pipeline, and replicas of it. */
  readonly pp: number;
  readonly dp: number;
  /** Ranks that share each layer. */
  readonly tp: number;
  /**
   * The script divides all gradients by the number of micro-batches, and scale_grads is off: scale_grads divides only
   * the gradients of parameters in modules, from which DistributedDataParallel takes cut parameters out, and divides
   * the gradient of a weight once for each stage of the rank that uses the weight.
   */
  readonly scalesByHand: boolean;
  /** With fully_shard around the stages: the axes of the replicas; absent: DistributedDataParallel, or nothing. */
  readonly sharded?: { readonly dpReplicate: number; readonly dpShard: number } | undefined;
  /** The pipeline rank of each stage. */
  readonly rankOfStage: readonly number[];
  /** First layer of each stage, and at the end the number of layers. */
  readonly cuts: readonly number[];
  readonly microBatches: number;
}

/** Whether the ranks form a mesh. The ranks of a single pipeline whose layers are whole need none. */
export const isMesh = ({ dp, tp }: PipelineShape): boolean => dp > 1 || tp > 1;
/** Python expressions: the rank's place in its pipeline, and the replica that it belongs to. */
export const PP_RANK = (shape: PipelineShape): string => (isMesh(shape) ? 'pp_rank' : 'rank');
export const DP_RANK = 'dp_rank';
/** Of the replicas. */
export const DP_GROUP = "mesh.get_group('dp')";

/** torch's classes, by the names that get_schedule_class takes. */
const SCHEDULE_CLASS: Readonly<Record<ScheduleName, string>> = {
  GPipe: 'ScheduleGPipe',
  '1F1B': 'Schedule1F1B',
  LoopedBFS: 'ScheduleLoopedBFS',
  Interleaved1F1B: 'ScheduleInterleaved1F1B',
  InterleavedZeroBubble: 'ScheduleInterleavedZeroBubble',
  ZBVZeroBubble: 'ScheduleZBVZeroBubble',
  DualPipeV: 'ScheduleDualPipeV',
};
/** Only torch's runtime, the base class of its schedules, reads a schedule from CSV. */
const RUNTIME = '_PipelineScheduleRuntime';

/** Classes with one stage per rank, which take a stage instead of a list. */
const SINGLE: ReadonlySet<Config['pipeline']['schedule']> = new Set(['GPipe', '1F1B']);

/** `fsdp`: the import of fully_shard. */
export function pipelineImports(
  config: Config,
  shape: PipelineShape,
  { averaging, fsdp }: { readonly averaging: Averaging; readonly fsdp: string },
): readonly string[] {
  const {
    pipeline: { schedule },
    checkpointSegments: segments,
  } = config;
  const classes = schedule === 'own' ? ['PipelineStage'] : ['PipelineStage', SCHEDULE_CLASS[schedule]];
  return [
    'import os',
    `from torch.distributed.pipelining import ${classes.join(', ')}`,
    ...(schedule === 'own' ? [`from torch.distributed.pipelining.schedules import ${RUNTIME}`] : []),
    ...(isMesh(shape) ? ['from torch.distributed.device_mesh import init_device_mesh'] : []),
    ...(averaging === 'shards' ? [fsdp] : []),
    ...(segments === undefined ? [] : ['from torch.utils.checkpoint import checkpoint_sequential']),
    ...(averaging === 'byHand' && config.ddp.commHook.type === 'powerSGD' ? hookImports(config) : []),
    ...(averaging === 'ddp' || averaging === 'keepsBuckets'
      ? ['from torch.nn.parallel import DistributedDataParallel', ...hookImports(config, shape.tp > 1)]
      : []),
  ];
}

/** The mesh, if the ranks form one. All ranks with different rows form the dimension 'dp', with shards or without. */
export function meshLines(shape: PipelineShape): readonly string[] {
  const { pp, dp, tp, sharded } = shape;
  if (!isMesh(shape)) return [];
  const both = sharded !== undefined && sharded.dpReplicate > 1;
  const dimensions: readonly (readonly [name: string, size: number])[] = [
    ['pp', pp],
    ...(both
      ? ([
          ['dp_replicate', sharded.dpReplicate],
          ['dp_shard', sharded.dpShard],
        ] as const)
      : dp > 1
        ? ([['dp', dp]] as const)
        : []),
    ...(tp > 1 ? ([['tp', tp]] as const) : []),
  ];
  const sizes = dimensions.map(([, size]) => size).join(', ');
  const names = dimensions.map(([name]) => `'${name}'`).join(', ');
  const replica = both ? `torch.distributed.get_rank(${DP_GROUP})` : "mesh.get_local_rank('dp')";
  return [
    `mesh = init_device_mesh(device.type, (${sizes}), mesh_dim_names=(${names}))`,
    ...(both ? ["mesh['dp_replicate', 'dp_shard']._flatten('dp')  # all ranks with their own rows"] : []),
    dp > 1 ? `pp_rank, ${DP_RANK} = mesh.get_local_rank('pp'), ${replica}` : "pp_rank = mesh.get_local_rank('pp')",
  ];
}

/** The stages of a rank, as a Python list. */
function stagesOfRank(shape: PipelineShape): string {
  const { pp, rankOfStage } = shape;
  const stages = rankOfStage.length;
  const rank = PP_RANK(shape);
  if (stages === pp && rankOfStage.every((owner, stage) => owner === stage)) return `[${rank}]`;
  if (rankOfStage.every((owner, stage) => owner === stage % pp)) return `list(range(${rank}, ${stages}, ${pp}))`;
  if (stages === 2 * pp && rankOfStage.every((owner, stage) => owner === Math.min(stage, stages - 1 - stage)))
    return `[${rank}, ${stages - 1} - ${rank}]`;
  const table = Array.from(
    { length: pp },
    (_, r) => `[${rankOfStage.flatMap((o, s) => (o === r ? [s] : [])).join(', ')}]`,
  );
  return `[${table.join(', ')}][${rank}]`;
}

/**
 * Takes the rank's layers from the whole model. `layers`: a Python expression that can be sliced. `flat`: whether
 * slices of it are modules.
 */
export function stageLines(
  config: Config,
  shape: PipelineShape,
  { layers, flat }: { readonly layers: string; readonly flat: boolean },
): readonly string[] {
  const { rankOfStage, cuts } = shape;
  const slice = `${layers}[cuts[s]:cuts[s + 1]]`;
  const module =
    config.checkpointSegments === undefined ? (flat ? slice : `nn.Sequential(*${slice})`) : `Stage(*${slice})`;
  return [
    '# stage s: layers cuts[s] to cuts[s + 1] - 1',
    `cuts = [${cuts.join(', ')}]`,
    `mine = ${stagesOfRank(shape)}  # this rank's stages, of ${rankOfStage.length}`,
    `modules = [${module}.to(device) for s in mine]`,
  ];
}

/** The parameters of those layers, after everything that replaces parameters. */
export const OWN_PARAMETERS: readonly string[] = [
  'own = {p for module in modules for p in module.parameters()}',
  'parameters = {name: p for name, p in model.named_parameters() if p in own}',
];

/** A stage that keeps only the inputs of its segments. */
export const checkpointedStage = ({ checkpointSegments: segments }: Config): readonly string[] =>
  segments === undefined
    ? []
    : [
        'class Stage(nn.Sequential):',
        '    def forward(self, x):',
        `        return checkpoint_sequential(self, min(${segments}, len(self)), x, use_reentrant=False)`,
      ];

/**
 * How the replicas of a stage average its gradients. ddp: with DistributedDataParallel, as usual. keepsBuckets: DDP
 * with find_unused_parameters, which does not rebuild buckets, because torch would stop at the rebuild. byHand:
 * all-reduces in the script, because DDP does not see gradients of split backward passes. shards: fully_shard scatters
 * them.
 */
export type Averaging = 'none' | 'shards' | 'ddp' | 'keepsBuckets' | 'byHand';

/** Lines after the loss function: stages, schedule, and whether this rank has the first or last stage. */
export function scheduleLines(config: Config, shape: PipelineShape): readonly string[] {
  const { schedule, scaleGrads, microBatches, actions = '' } = config.pipeline;
  const { rankOfStage } = shape;
  const stages = rankOfStage.length;
  const call = lossCall(config);
  const fills = shape.filledUpTo !== undefined;
  const plain = call === 'loss_fn(output, y)' && !fills;
  const group = isMesh(shape) ? ", group=mesh.get_group('pp')" : '';
  const items = (name: string, count: number) => [
    SINGLE.has(schedule) ? `${name}[0]` : name,
    `n_microbatches=${count}`,
    `loss_fn=${scaledLoss(config, plain ? 'loss_fn' : 'stage_loss')}`,
    ...(scaleGrads && !shape.scalesByHand ? [] : ['scale_grads=False']),
  ];
  const type = schedule === 'own' ? RUNTIME : SCHEDULE_CLASS[schedule];
  const [open, close] = [`${type}(`, ')'];
  const stageList = (name: string): readonly string[] => [
    `${name} = [`,
    `    PipelineStage(module, s, ${stages}, device${group})`,
    '    for module, s in zip(modules, mine)',
    ']',
  ];
  return [
    ...(fills ? fillingLines(config, shape) : []),
    ...(plain
      ? []
      : [
          'def stage_loss(output, y):',
          ...(fills ? [`    rows = ${rowsTest(config)}`, '    output, y = output[rows], y[rows]'] : []),
          ...(shape.countByRows ? weightedLoss(call, scaleGrads) : [`    return ${call}`]),
        ]),
    ...firstScale(config),
    ...stageList('stages'),
    ...layout(
      'schedule = ',
      { open, items: items('stages', schedule === 'own' ? shape.microBatches : microBatches), close },
      '',
    ),
    ...(schedule === 'own' ? ownOrder(actions) : []),
    ...(shape.short
      ? [
          `# the last batch of an epoch has ${shape.short.rows} rows: torch needs other stages and another schedule for it`,
          ...stageList('last_stages'),
          ...layout('last_schedule = ', { open, items: items('last_stages', shape.short.microBatches), close }, ''),
        ]
      : []),
    `first, last = 0 in mine, ${stages - 1} in mine`,
  ];
}

/** torch reads the user's own schedule from a file. */
const ownOrder = (actions: string): readonly string[] => [
  "with open(f'schedule{rank}.csv', 'w') as f:  # a row for each pipeline rank",
  "    f.write('''\\",
  ...actions
    .trim()
    .split(/\r\n|\n|\r/)
    .map((row) => row.trim()),
  "''')",
  "schedule._load_csv(f'schedule{rank}.csv')",
];
