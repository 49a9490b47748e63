/**
 * The PyTorch script of a pipeline: torch.distributed.pipelining, with DistributedDataParallel around the stages if the
 * run has replicas, or fully_shard if it has shards. It follows the observed behaviour of torch 2.13, including CPU
 * over gloo. Called through mode.ts.
 */
import { type CodeLine, codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import {
  averageLine,
  averageParametersByHand,
  averagerLines,
  countedUpdates,
  keepsState,
} from '../../interop/pytorch/comm-hooks';
import { loaderLines, setsEpoch } from '../../interop/pytorch/ddp';
import { ranksLines } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { lendLines, listedModelCode, tieLines } from '../../interop/pytorch/model';
import {
  type Averaging,
  checkpointedStage,
  DP_GROUP,
  DP_RANK,
  meshLines,
  OWN_PARAMETERS,
  type PipelineShape,
  pipelineImports,
  scheduleLines,
  stageLines,
} from '../../interop/pytorch/pipeline';
import { fillUp } from '../../interop/pytorch/pipeline-fill';
import { replicaLines } from '../../interop/pytorch/pipeline-replicas';
import { STAGES_SCALER, stagesScalerLines, unscaledLosses } from '../../interop/pytorch/pipeline-scaler';
import { type StageShards, shardedStageLines } from '../../interop/pytorch/pipeline-shards';
import { clipOverStages, insideLines } from '../../interop/pytorch/pipeline-step';
import { autocastLine, stepLines, unscaleLines } from '../../interop/pytorch/precision';
import { LISTING, loader } from '../../interop/pytorch/script';
import { BEGINS_ANEW } from '../../interop/pytorch/script-parts';
import { cutStageLines, headLines, PARTS_SCALER, scalerLines } from '../../interop/pytorch/tensor';
import { CUT_NAMES } from '../../interop/pytorch/tensor-clip';
import { copiesOfTied, tiedLines, tiedSums } from '../../interop/pytorch/tied';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { meshSizes, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import { halvesBackward } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { hasSampler, MASKS_AND_ROWS, ranksDraw } from '../axes/own-draws';
import { fsdpImport, policyLines, shardArguments } from '../sharded/shard-lines';
import { unitsOf } from '../sharded/units';
import { listedCuts, ROWS_BY_RANK } from '../tensor/listed-cuts';
import { withPlan } from '../tensor/plan';
import { filledUpTo, microBatchesByRows, shortBatch } from './filled-up';
import { stopsAtRebuild } from './kept-buckets';
import { hasBareStage, layerRanges } from './split';
import { scheduleOf } from './stage-graphs';
import { stageOfModule } from './stage-of-module';
import { lentInStages, sharedAcrossStages, stagesOfRankShare, tiedWeights } from './tied-weights';

export function pipelineListing(given: Config, dialect: Dialect = LISTING): CodeLine[] {
  const { tp, dpReplicate, dpShard } = meshSizes(given);
  const { resume, ...begun } = tp > 1 ? withPlan(given) : given;
  const resumed = dialect.resumesStages && resume !== undefined ? { ...begun, resume } : begun;
  const dropsLossParallel = resumed.tensor.lossParallel === true && filledUpTo(resumed) !== undefined;
  const config = dropsLossParallel ? { ...resumed, tensor: { ...resumed.tensor, lossParallel: false } } : resumed;
  const schedule = scheduleOf(config);
  const ranges = layerRanges(config);
  const placed = {
    pp: meshSizes(config).pp,
    dp: replicasOf(config),
    tp,
    sharded: shardsParameters(config) ? { dpReplicate, dpShard } : undefined,
    rankOfStage: schedule.rankOfStage,
    cuts: [0, ...ranges.map(({ end }) => end)],
    microBatches: schedule.microBatches,
    filledUpTo: filledUpTo(config),
    short: shortBatch(config),
    countByRows: microBatchesByRows(config),
  };
  const averaging = averagingOf(schedule, placed);
  const wraps = averaging === 'ddp' || averaging === 'keepsBuckets';
  const stageOf = stageOfModule(config.model.layers, ranges);
  const rankShares = stagesOfRankShare(config, placed, stageOf);
  const scalesByHand = (tp > 1 && wraps) || rankShares;
  const shape: PipelineShape = { ...placed, scalesByHand };
  const cuts = tp > 1 ? listedCuts(config, shape, stageOf) : undefined;
  // DistributedDataParallel would take each module's DTensor apart, and hooks would compress every copy.
  const lends = wraps && tp > 1;
  const shared = tiedWeights(config, placed, stageOf, lends);
  // DTensors within one rank can be tied again; DistributedDataParallel would take these apart.
  const tiesAgain = !wraps && shared.every(({ groups }) => groups.length === 0);
  const tied = tiesAgain ? [] : shared;
  const hooks = (wraps || averaging === 'byHand') && config.ddp.commHook.type !== 'allreduce';
  const leftOut = hooks || (wraps && tp === 1 && rankShares) ? sharedAcrossStages(config, stageOf, tp > 1) : [];
  // PeriodicModelAverager takes no DTensors, and gives parameters new memory, which cut modules would not see.
  const averagesByHand = averaging === 'byHand' || (wraps && tp > 1);
  const autocast = autocastLine(config, 'device');
  const clip = clipOverStages(config, shape, { averaging, counted: tied.length > 0 ? 'once' : 'parameters' });
  const scaled = config.gradScaler.enabled;
  const usesDTensor =
    clip.length > 0 ||
    averaging === 'byHand' ||
    (averagesByHand && config.ddp.commHook.type === 'localSGD') ||
    scaled ||
    tied.length > 0;
  const data = dataLines(config, shape, dialect);
  const model = listedModelCode(config.model.layers);
  return dialect.assemble(config, {
    about: aboutRanks(shape),
    stages: true,
    ...(tp > 1 ? { sharesLayers: true } : {}),
    replicas: shape.dp,
    imports: [
      ...(cuts ? ['from fnmatch import fnmatch'] : []),
      ...pipelineImports(config, shape, { averaging, fsdp: fsdpImport(config) }),
      ...(cuts?.imports(usesDTensor ? ['DTensor'] : []) ?? []),
      ...(timeoutOf(config).length > 0 ? ['from datetime import timedelta'] : []),
    ],
    notes: [
      ...(cuts?.cutsHeads && !dialect.resumesStages ? [ROWS_BY_RANK] : []),
      ...(dropsLossParallel && tp > 1 ? [NO_LOSS_PARALLEL] : []),
      ...(ranksDraw(config) && config.shuffle ? [MASKS_AND_ROWS] : []),
      ...(shape.sharded && halvesBackward(schedule) ? [LOST_GRADIENTS] : []),
      ...(resume === undefined || dialect.resumesStages ? [] : [BEGINS_ANEW]),
    ],
    group: ranksLines(timeoutOf(config)),
    behindGroup: meshLines(shape),
    holdsGroup: { holders: holdersOf(averaging, shape), graph: [] },
    model: {
      ...model,
      classes: [
        ...(cuts?.classesOf(model.classes) ?? model.classes),
        ...checkpointedStage(config),
        ...(scaled ? (cuts ? scalerLines : stagesScalerLines) : []),
      ],
    },
    ...(scaled ? { scaler: cuts ? PARTS_SCALER : STAGES_SCALER } : {}),
    afterModel: lines(
      ...stageLines(config, shape, { layers: model.layers, flat: model.layers === 'model' }),
      ...(cuts ? [...(cuts.cutsHeads ? headLines : []), ...cuts.plan.lines, ...cutStageLines] : []),
      // parallelize_module gives each module a parameter of its own.
      ...(cuts && tiesAgain ? tieLines(config.model.layers) : []),
      ...(lends ? lendLines(config.model.layers, lentInStages(config, stageOf)) : []),
      ...(cuts && wraps && config.clipGradNorm !== undefined ? [CUT_NAMES] : []),
      ...(shape.sharded ? shardsOfStages(config, shape.sharded, schedule.stages - 1) : []),
      // DistributedDataParallel replaces DTensors; without them it leaves the parameters as they are.
      ...(cuts ? [] : OWN_PARAMETERS),
      ...replicaLines(config, shape, { averaging, leftOut, bareStages: hasBareStage(config) }),
      ...tiedLines(config, tied),
    ),
    ...(cuts ? { optimizerArguments: ['foreach=False'] } : {}),
    afterOptimizer: averagesByHand ? countedUpdates(config) : averagerLines(config, DP_GROUP),
    notRead: keepsState(config) ? ['what the hook remembers'] : [],
    parameters: { all: 'parameters.values()', named: 'parameters.items()' },
    // Without cuts, a rank has the whole model, in which a shared weight has one name.
    ...(cuts ? { copies: copiesOfTied(tied) } : {}),
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
        ...within(
          [
            ...(cuts?.lossParallel ? [line('with loss_parallel():')] : []),
            // Around both passes: backward computes in the types of the tensors that forward kept.
            ...(autocast === undefined ? [] : [line(autocast)]),
          ],
          line(`${shape.short ? 'own_schedule' : 'schedule'}.step(*args, target=target, losses=losses)`),
        ),
        ...insideLines(config, shape, { averaging, leavesOut: leftOut.length > 0 }),
        ...tiedSums(tied, {
          cut: cuts !== undefined,
          ...(leftOut.length > 0 ? { averages: { dp: shape.dp, group: DP_GROUP, cut: tp > 1 } } : {}),
        }),
        ...unscaledLosses(config),
        ...unscaleLines(config),
        ...clip,
        ...stepLines(config),
        ...(averagesByHand
          ? averageParametersByHand(config, { dp: shape.dp, group: DP_GROUP, cut: tp > 1 })
          : averageLine(config)),
        ...advance,
        ...dialect.pipelineLoss(shape, cuts?.lossParallel === true),
      ],
    },
  });
}

function aboutRanks({ pp, dp, tp }: PipelineShape): string {
  const cut = tp > 1 ? `, each layer cut among ${tp} ranks` : '';
  return `as a pipeline of ${pp} ${tp > 1 ? 'stages' : 'ranks'}${cut}${dp > 1 ? `, ${dp} replicas of it` : ''}`;
}

const NO_LOSS_PARALLEL =
  '# the run computes the loss from parts of the outputs; here outputs are whole, because loss_parallel() cannot leave out the rows that fill up short micro-batches';

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

const LOST_GRADIENTS =
  '# torch 2.13 loses the gradients of micro-batches whose backward inside fully_shard runs in halves: the run differs';

/** How to average gradients so that torch 2.13 gets them right with this schedule, as observed. */
function averagingOf(schedule: Schedule, { dp, sharded }: Pick<PipelineShape, 'dp' | 'sharded'>): Averaging {
  if (dp === 1) return 'none';
  if (sharded) return 'shards';
  if (halvesBackward(schedule)) return 'byHand';
  return stopsAtRebuild(schedule) ? 'keepsBuckets' : 'ddp';
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

/** A line within `with` statements, each within the one before. */
const within = (outer: readonly CodeLine[], inner: CodeLine): readonly CodeLine[] =>
  [...outer, inner].map((each, depth) => ({ ...each, text: '    '.repeat(depth) + each.text }));
