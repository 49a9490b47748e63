/**
 * The PyTorch script of a pipeline: torch.distributed.pipelining, with DistributedDataParallel around the stages if the
 * run has replicas, or fully_shard if it has shards. It follows the observed behaviour of torch 2.13, including CPU
 * over gloo. Called through mode.ts.
 */
import { type CodeLine, codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import { averageLine, averagerLines } from '../../interop/pytorch/comm-hooks';
import { loaderLines, setsEpoch } from '../../interop/pytorch/ddp';
import { ranksLines } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { listedModelCode } from '../../interop/pytorch/model';
import {
  type Averaging,
  checkpointedStage,
  DP_GROUP,
  DP_RANK,
  fillUp,
  meshLines,
  type PipelineShape,
  pipelineImports,
  replicaLines,
  scheduleLines,
  stageLines,
} from '../../interop/pytorch/pipeline';
import { type StageShards, shardedStageLines } from '../../interop/pytorch/pipeline-shards';
import { clipOverStages, insideLines } from '../../interop/pytorch/pipeline-step';
import { autocastLine } from '../../interop/pytorch/precision';
import { LISTING, loader } from '../../interop/pytorch/script';
import { BEGINS_ANEW } from '../../interop/pytorch/script-parts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { meshSizes, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { fsdpImport, policyLines, shardArguments } from '../sharded/shard-lines';
import { unitsOf } from '../sharded/units';
import { hasSampler, ranksDraw } from './draws';
import { filledUpTo, microBatchesByRows, shortBatch } from './filled-up';
import { layerRanges } from './split';
import { scheduleOf } from './stages';
import { tiesOf } from './ties';

export function pipelineListing(given: Config, dialect: Dialect = LISTING): CodeLine[] {
  const { tp } = meshSizes(given);
  const { resume, ...begun } = withWholeLayers(given, tp);
  const config = dialect.resumesStages && resume !== undefined ? { ...begun, resume } : begun;
  const { dpReplicate, dpShard } = meshSizes(config);
  const schedule = scheduleOf(config);
  const ranges = layerRanges(config);
  const shape: PipelineShape = {
    pp: meshSizes(config).pp,
    dp: replicasOf(config),
    sharded: shardsParameters(config) ? { dpReplicate, dpShard } : undefined,
    rankOfStage: schedule.rankOfStage,
    cuts: [0, ...ranges.map(({ end }) => end)],
    microBatches: schedule.microBatches,
    filledUpTo: filledUpTo(config),
    short: shortBatch(config),
    countByRows: microBatchesByRows(config),
  };
  const averaging = averagingOf(schedule, shape);
  const data = dataLines(config, shape, dialect);
  const model = listedModelCode(config.model.layers);
  return dialect.assemble(config, {
    about: `as a pipeline of ${shape.pp} ranks${shape.dp > 1 ? `, ${shape.dp} replicas of it` : ''}`,
    stages: true,
    replicas: shape.dp,
    imports: [
      ...pipelineImports(config, shape, { averaging, fsdp: fsdpImport(config) }),
      ...(timeoutOf(config).length > 0 ? ['from datetime import timedelta'] : []),
    ],
    notes: [
      ...(tp > 1 ? [wholeLayers(tp, config.worldSize)] : []),
      ...(ranksDraw(config) && config.shuffle ? [OWN_MASKS] : []),
      ...(resume === undefined || dialect.resumesStages ? [] : [BEGINS_ANEW]),
      ...(tiesOf(config).length > 0 ? [TIES] : []),
      ...(averaging === 'byHand' && KEEPS_STATE.has(config.ddp.commHook.type) ? [NO_HOOK] : []),
    ],
    group: ranksLines(timeoutOf(config)),
    behindGroup: meshLines(shape),
    holdsGroup: { holders: holdersOf(averaging, shape), graph: [] },
    model: { ...model, classes: [...model.classes, ...checkpointedStage(config)] },
    afterModel: lines(
      ...stageLines(config, shape, {
        layers: model.layers,
        flat: model.layers === 'model',
        shards: shape.sharded ? shardsOfStages(config, shape.sharded, schedule.stages - 1) : [],
      }),
      ...replicaLines(config, averaging),
    ),
    afterOptimizer: averaging === 'byHand' ? [] : averagerLines(config, DP_GROUP),
    notRead: KEEPS_STATE.has(config.ddp.commHook.type) ? ['what the hook remembers'] : [],
    parameters: { all: 'parameters.values()', named: 'parameters.items()' },
    dataNames: data.names,
    loaders: [...scheduleLines(config, shape), ...data.lines],
    loop: {
      inputs: 'device',
      targets: 'device',
      ranks: true,
      log: [],
      epochStart: hasSampler(config) && setsEpoch(config) ? [line('sampler.set_epoch(epoch)', 'set_epoch')] : [],
      body: (advance) => [
        line('optimizer.zero_grad()', 'zero_grad'),
        ...fillUp(config, shape),
        line('losses = []'),
        line('args, target = [x] if first else [], y if last else None'),
        ...inAutocast(config, `${shape.short ? 'own_schedule' : 'schedule'}.step(*args, target=target, losses=losses)`),
        ...insideLines(config, shape, averaging),
        ...clipOverStages(config, shape),
        line('optimizer.step()', 'step'),
        ...(averaging === 'byHand' ? [] : averageLine(config)),
        ...advance,
        ...dialect.pipelineLoss(shape.dp),
      ],
    },
  });
}

/** The configuration without tensor cuts inside the stages: the script gets the same losses on fewer ranks. */
function withWholeLayers(config: Config, tp: number): Config {
  const { tp: _, ...mesh } = config.mesh;
  return tp === 1 ? config : { ...config, mesh, worldSize: config.worldSize / tp };
}

const wholeLayers = (tp: number, ranks: number): string =>
  `# the run also cuts each layer among ${tp} tensor ranks (mesh.tp); here layers are whole, on ${ranks} ranks, with the same losses`;

const OWN_MASKS =
  '# dropout: each rank draws masks from its own generator, so the order of rows must not come from that generator, too';
/** The optimizer's state covers the whole model, but a rank has only its own parameters: train.py picks them out. */
const TIES =
  '# two stages share a weight: the run adds up its gradients over both ranks; this script does not, and its losses differ';

const NO_HOOK =
  '# DistributedDataParallel sees no gradients in this schedule: the hook of the run is left out, and the losses differ';
const KEEPS_STATE: ReadonlySet<Config['ddp']['commHook']['type']> = new Set(['powerSGD', 'localSGD']);

/** The timeout argument of init_process_group. */
const timeoutOf = ({ timeoutS }: Config): readonly string[] =>
  timeoutS === DEFAULT_CONFIG.timeoutS ? [] : [`timeout=timedelta(seconds=${timeoutS})`];

/** The output of the last stage is float32, because the loss reads it. */
function shardsOfStages(config: Config, sharded: StageShards['sharded'], last: number): readonly string[] {
  return shardedStageLines({
    sharded,
    units: unitsOf(config).flatMap(({ path }) => (path === '' ? [] : [path])),
    arguments: shardArguments(config, `root_policy if s == ${last} else policy`),
    policies: policyLines(config).map(({ text }) => text),
  });
}

/** How to average gradients so that torch 2.13 gets them right with this schedule, as observed. */
function averagingOf({ name, stages, microBatches, orders }: Schedule, { dp, sharded }: PipelineShape): Averaging {
  if (dp === 1) return 'none';
  if (sharded) return 'shards';
  if (orders.some((order) => order.flatMap((cell) => actionsOf([cell])).some(({ kind }) => kind === 'W')))
    return 'byHand';
  return name === '1F1B' && microBatches > stages ? 'ddp' : 'keepsBuckets';
}

/** The stages that DistributedDataParallel is around. */
const holdersOf = (averaging: Averaging, { short }: PipelineShape): readonly string[] =>
  averaging === 'ddp' || averaging === 'keepsBuckets'
    ? ['modules', 'stages', 'schedule', ...(short ? ['last_stages', 'last_schedule'] : [])]
    : [];

/** Every rank of a pipeline iterates over the batches of its replica. */
function dataLines(config: Config, { dp }: PipelineShape, dialect: Dialect): ReturnType<typeof loaderLines> {
  if (!hasSampler(config)) return { names: [], lines: loader(config, dialect, 'gpus') };
  const rank = dp > 1 ? DP_RANK : '0';
  return loaderLines(config, Math.floor(config.batchSize / dp), dialect, {
    size: dp,
    rank,
    dropsLast: config.dropLast,
  });
}

/** Autocast around both passes: backward computes in the types of the tensors that forward kept. */
function inAutocast(config: Config, call: string): readonly CodeLine[] {
  const within = autocastLine(config, 'device');
  return within === undefined ? [line(call)] : [line(within), line(`    ${call}`)];
}
