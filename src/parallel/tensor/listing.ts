/**
 * The PyTorch script of tensor parallelism: init_device_mesh, parallelize_module and the plan, inside
 * DistributedDataParallel if the run has replicas, or inside fully_shard if it has shards. For torch 2.6 and later.
 * Called through mode.ts and by the listing of mode sharded.
 */
import { codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import {
  averageParametersByHand,
  countedUpdates,
  hookFunctions,
  hookImports,
  hookLines,
  keepsState,
  syncLines,
} from '../../interop/pytorch/comm-hooks';
import { loaderLines, setsEpoch, wrapperArguments } from '../../interop/pytorch/ddp';
import { ranksLines } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { lendLines, modelCode, tieLines } from '../../interop/pytorch/model';
import { LISTING, loader, microBatch } from '../../interop/pytorch/script';
import { BEGINS_ANEW } from '../../interop/pytorch/script-parts';
import {
  headLines,
  meshLines,
  PARTS_SCALER,
  scalerLines,
  shardMesh,
  type TensorShape,
} from '../../interop/pytorch/tensor';
import { CUT_NAMES, clipLinesOfLocals, clipLinesOfParts } from '../../interop/pytorch/tensor-clip';
import { sharedNames } from '../../nn/tied';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { meshSizes, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import type { CodeLine } from '../../protocol/trace';
import { hasSampler, MASKS_AND_ROWS, ranksDraw } from '../axes/own-draws';
import { fsdpImport, gradientSyncLines, shardLines } from '../sharded/shard-lines';
import { listedCuts, ROWS_BY_RANK } from './listed-cuts';
import { withPlan } from './plan';

export function tensorListing(given: Config, dialect: Dialect = LISTING): CodeLine[] {
  const { resume, ...begun } = given;
  const resumes = dialect.resumesStages && resume !== undefined;
  const planned = withPlan(resumes ? given : begun);
  const { tp, dpReplicate, dpShard } = meshSizes(planned);
  const sharded = shardsParameters(planned) ? { dpReplicate, dpShard } : undefined;
  const shape = { tp, dp: replicasOf(planned), sharded };
  const wraps = shape.dp > 1 && !sharded;
  // no_sync() exists only with DistributedDataParallel.
  const config: Config = wraps ? planned : { ...planned, ddp: { ...planned.ddp, noSync: 'none' } };
  const averages = wraps && config.ddp.commHook.type === 'localSGD';
  const cuts = listedCuts(config, shape);
  const { plan, cutsHeads, lossParallel } = cuts;
  const { layers } = config.model;
  const clips = wraps
    ? clipLinesOfLocals(config, { parameters: 'parameters', overStages: false })
    : clipLinesOfParts(config, { parameters: 'model', overStages: false });
  const model = modelCode(config.model.layers, 'device', config.checkpointSegments);
  const data = dataLines(config, shape, dialect);
  const usesDTensor = clips.length > 0 || config.gradScaler.enabled;
  const synced = shape.dp > 1 ? syncLines(config, syncGroup(shape)) : [];
  return dialect.assemble(config, {
    about: `with tensor parallelism on ${tp} ranks${aboutData(shape)}`,
    replicas: shape.dp,
    notes: [
      ...(cutsHeads && !dialect.resumesStages ? [ROWS_BY_RANK] : []),
      ...(resume === undefined || resumes ? [] : [BEGINS_ANEW]),
      ...(ranksDraw(config) && config.shuffle ? [MASKS_AND_ROWS] : []),
    ],
    imports: [
      'import os',
      ...(timeoutOf(config).length > 0 ? ['from datetime import timedelta'] : []),
      'from torch.distributed.device_mesh import init_device_mesh',
      ...(sharded ? [fsdpImport(config)] : []),
      ...cuts.imports(usesDTensor ? ['DTensor'] : []),
      ...(wraps ? ['from torch.nn.parallel import DistributedDataParallel', ...hookImports(config, true)] : []),
    ],
    group: ranksLines(timeoutOf(config), config.sharded.cpuOffload),
    offloads: config.sharded.cpuOffload,
    behindGroup: meshLines(shape),
    holdsGroup: { holders: wraps ? ['model'] : [], graph: [] },
    model: {
      ...model,
      classes: [...cuts.classesOf(model.classes), ...(config.gradScaler.enabled ? scalerLines : [])],
    },
    ...(config.gradScaler.enabled ? { scaler: PARTS_SCALER } : {}),
    afterModel: [
      ...synced,
      ...lines(
        ...(cutsHeads ? headLines : []),
        ...plan.lines,
        "model = parallelize_module(model, mesh['tp'], plan)",
        // parallelize_module gives each module a parameter of its own.
        ...(wraps ? lendLines(layers, sharedNames(layers)) : tieLines(layers)),
        ...(wraps
          ? [
              ...(config.clipGradNorm === undefined ? [] : [CUT_NAMES]),
              ...hookFunctions(config),
              `model = DistributedDataParallel(${['model', "device_mesh=mesh['dp']", ...wrapperArguments(config, dialect)].join(', ')})`,
              // The first forward pass takes them out of the modules.
              ...(clips.length > 0 || averages ? ['parameters = dict(model.module.named_parameters())'] : []),
            ]
          : []),
      ),
      ...(wraps ? hookLines(config, 'model', syncGroup(shape)) : []),
      ...(sharded ? shardLines(config, shardMesh(sharded)) : []),
    ],
    optimizerArguments: ['foreach=False'],
    ...(averages ? { afterOptimizer: countedUpdates(config) } : {}),
    ...(wraps && keepsState(config) ? { notRead: ['what the hook remembers'] } : {}),
    dataNames: data.names,
    loaders: data.lines,
    loop: {
      inputs: 'device',
      targets: 'device',
      ranks: true,
      around: lossParallel ? 'with loss_parallel():' : undefined,
      clip: clips,
      ...(averages
        ? { afterStep: averageParametersByHand(config, { dp: shape.dp, group: syncGroup(shape), cut: false }) }
        : {}),
      epochStart: hasSampler(config) && setsEpoch(config) ? [line('sampler.set_epoch(epoch)', 'set_epoch')] : [],
      ...(sharded ? { beforeForward: gradientSyncLines(config) } : {}),
      log: dialect.loss(lossParallel ? 'loss.full_tensor()' : 'loss', true),
    },
  });
}

/** A Python expression for the ranks that have the same part of each layer and other rows. */
function syncGroup({ tp, dp, sharded }: TensorShape): string {
  if (!sharded) return "mesh['dp'].get_group()";
  if (sharded.dpReplicate === 1) return "mesh['dp_shard'].get_group()";
  const ranks = `[list(range(t, ${dp * tp}, ${tp})) for t in range(${tp})]`;
  return `torch.distributed.new_subgroups_by_enumeration(${ranks})[0]`;
}

/** The timeout argument of init_process_group. */
const timeoutOf = ({ timeoutS }: Config): readonly string[] =>
  timeoutS === DEFAULT_CONFIG.timeoutS ? [] : [`timeout=timedelta(seconds=${timeoutS})`];

function aboutData({ dp, sharded }: TensorShape): string {
  if (!sharded) return dp > 1 ? `, ${dp} replicas of them` : '';
  const { dpReplicate, dpShard } = sharded;
  return ` and fully_shard on ${dpShard}${dpReplicate > 1 ? `, ${dpReplicate} replicas of them` : ''}`;
}

/** All ranks of a tensor group iterate over the same batches. */
function dataLines(config: Config, { dp, sharded }: TensorShape, dialect: Dialect): ReturnType<typeof loaderLines> {
  if (!hasSampler(config)) return { names: [], lines: loader(config, dialect, 'gpus') };
  return loaderLines(config, Math.floor(microBatch(config) / dp), dialect, {
    size: dp,
    rank: dp > 1 ? 'dp_rank' : '0',
    dropsLast: (sharded !== undefined || dp === 1) && config.dropLast,
  });
}
