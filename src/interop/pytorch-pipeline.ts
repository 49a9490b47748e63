/**
 * The lines of a pipeline's PyTorch script: ranks and mesh, the stages of a rank, the schedule, and what happens with a
 * batch. Called by the pipeline's listing (parallel/pipeline/listing.ts), which says what of it a run needs.
 */
import type { Config } from '../protocol/config';
import type { ScheduleName } from '../protocol/pipeline';
import { layout } from './python';
import { lossCall } from './pytorch-loop';

/** How a pipeline lies on its ranks. */
export interface PipelineShape {
  /** Ranks of a pipeline, and replicas of it. */
  readonly pp: number;
  readonly dp: number;
  /** The pipeline rank of each stage. */
  readonly rankOfStage: readonly number[];
  /** First layer of each stage, and behind them the number of layers. */
  readonly cuts: readonly number[];
  readonly microBatches: number;
  /** Stages without parameters. */
  readonly bare: readonly number[];
}

/** Python expressions: the rank's place in its pipeline, and the replica that it belongs to. */
export const PP_RANK = ({ dp }: PipelineShape): string => (dp > 1 ? 'pp_rank' : 'rank');
export const DP_RANK = 'dp_rank';

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
/** Only torch's runtime reads a schedule from CSV; it is the base of its classes. */
const RUNTIME = '_PipelineScheduleRuntime';

/** The classes whose ranks have one stage, and take it by itself. */
const SINGLE: ReadonlySet<Config['pipeline']['schedule']> = new Set(['GPipe', '1F1B']);

export function pipelineImports({ pipeline: { schedule } }: Config, { dp }: PipelineShape): readonly string[] {
  const classes = schedule === 'own' ? ['PipelineStage'] : ['PipelineStage', SCHEDULE_CLASS[schedule]];
  return [
    'import os',
    `from torch.distributed.pipelining import ${classes.join(', ')}`,
    ...(schedule === 'own' ? [`from torch.distributed.pipelining.schedules import ${RUNTIME}`] : []),
    ...(dp > 1 ? ['from torch.distributed.device_mesh import init_device_mesh'] : []),
  ];
}

/** Processes, their devices, and with replicas the mesh. `timeout`: of the process group, an argument or nothing. */
export function ranksLines({ pp, dp }: PipelineShape, timeout: readonly string[]): readonly string[] {
  return [
    "gpus = torch.cuda.device_count() >= int(os.environ['LOCAL_WORLD_SIZE'])  # one for each rank; else the CPU",
    `torch.distributed.init_process_group(${["'nccl' if gpus else 'gloo'", ...timeout].join(', ')})`,
    'rank = torch.distributed.get_rank()',
    "device = torch.device('cuda', int(os.environ['LOCAL_RANK'])) if gpus else torch.device('cpu')",
    'if gpus:',
    '    torch.cuda.set_device(device)',
    ...(dp > 1
      ? [
          `mesh = init_device_mesh(device.type, (${pp}, ${dp}), mesh_dim_names=('pp', 'dp'))`,
          `pp_rank, ${DP_RANK} = mesh.get_local_rank('pp'), mesh.get_local_rank('dp')`,
        ]
      : []),
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
 * From the whole model the rank's layers, and their parameters. `layers`: a Python expression that can be sliced.
 * `flat`: slices of it are modules.
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
    `cuts = [${cuts.join(', ')}]  # stage s has the layers cuts[s] to cuts[s + 1] - 1`,
    `mine = ${stagesOfRank(shape)}  # the stages of this rank, of ${rankOfStage.length}`,
    `modules = [${module}.to(device) for s in mine]`,
    'own = {p for module in modules for p in module.parameters()}',
    'parameters = {name: p for name, p in model.named_parameters() if p in own}',
  ];
}

/** A stage that keeps of its activations only the inputs of segments. */
export const checkpointedStage = ({ checkpointSegments: segments }: Config): readonly string[] =>
  segments === undefined
    ? []
    : [
        'class Stage(nn.Sequential):',
        '    def forward(self, x):',
        `        return checkpoint_sequential(self, min(${segments}, len(self)), x, use_reentrant=False)`,
      ];

/** Behind the loss function: stages, schedule, and which ends of the pipeline this rank has. */
export function scheduleLines(config: Config, shape: PipelineShape): readonly string[] {
  const { schedule, scaleGrads, microBatches, actions = '' } = config.pipeline;
  const { dp, rankOfStage } = shape;
  const stages = rankOfStage.length;
  const call = lossCall(config);
  const plain = call === 'loss_fn(output, y)';
  const group = dp > 1 ? ", group=mesh.get_group('pp')" : '';
  const items = [
    SINGLE.has(schedule) ? 'stages[0]' : 'stages',
    `n_microbatches=${schedule === 'own' ? shape.microBatches : microBatches}`,
    `loss_fn=${plain ? 'loss_fn' : 'stage_loss'}`,
    ...(scaleGrads ? [] : ['scale_grads=False']),
  ];
  const type = schedule === 'own' ? RUNTIME : SCHEDULE_CLASS[schedule];
  return [
    ...(plain ? [] : ['def stage_loss(output, y):', `    return ${call}`]),
    'stages = [',
    `    PipelineStage(module, s, ${stages}, device${group})`,
    '    for module, s in zip(modules, mine)',
    ']',
    ...layout('schedule = ', { open: `${type}(`, items, close: ')' }, ''),
    ...(schedule === 'own' ? ownOrder(actions) : []),
    `first, last = 0 in mine, ${stages - 1} in mine`,
  ];
}

/** torch reads somebody's own schedule from a file. */
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
