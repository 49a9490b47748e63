/**
 * Settings with which a pipeline of this model and batch can run. The page sets them when the user chooses the mode, so
 * that a run opens whatever ran before. Only settings that do not fit are changed, as little as possible. Called
 * through fits.ts.
 */
import type { Config } from '../../protocol/config';
import { MOST_MICRO_BATCHES } from '../../protocol/config/pipeline';
import { meshSizes, replicasOf } from '../../protocol/mesh-sizes';
import { layersWithWeights, leastRows, stagesOfRank } from './face-size';

type Settings = Config['pipeline'];

/** `rows`: training rows in an epoch, if known. */
export function fitted(config: Config, rows?: number): Config {
  const sized = withRanks(withSchedule(config));
  const microBatches = microBatchesFor(sized, rows);
  // GPipe can order any number of micro-batches.
  if (microBatches === undefined) return fitted(withName(config, 'GPipe'), rows);
  return {
    ...sized,
    pipeline: { ...sized.pipeline, microBatches },
    accumulate: 1,
    dropLast: sized.dropLast || endsShort(sized, rows),
  };
}

const withName = (config: Config, schedule: Settings['schedule']): Config => {
  const { actions: _, ...pipeline } = config.pipeline;
  return { ...config, pipeline: { ...pipeline, schedule } };
};

/** A schedule with work for every stage: 1F1B if the model has too few layers for the chosen one. */
function withSchedule(config: Config): Config {
  const { schedule, actions } = config.pipeline;
  const fits =
    schedule === 'own'
      ? actions?.trim().split('\n').length === meshSizes(config).pp
      : stagesOfRank(config.pipeline) <= layersWithWeights(config);
  return fits ? config : withName(config, '1F1B');
}

/** As many replicas as the batch has rows for, each with as many ranks as can have layers. */
function withRanks(config: Config): Config {
  const { pp: _pp, dpShard: _dpShard, ...mesh } = config.mesh;
  const dpReplicate = Math.min(mesh.dpReplicate, config.worldSize, config.batchSize);
  const most = Math.floor(layersWithWeights(config) / stagesOfRank(config.pipeline));
  const { tp = 1 } = mesh;
  const pp = Math.max(1, Math.min(Math.floor(config.worldSize / (dpReplicate * tp)), most));
  const { split, ...pipeline } = config.pipeline;
  const stages = pp * stagesOfRank(pipeline);
  const layers = split?.reduce((a, b) => a + b, 0);
  const keepsSplit = split?.length === stages && layers === config.model.layers.length;
  return {
    ...config,
    worldSize: pp * dpReplicate * tp,
    mesh: { ...mesh, dpReplicate },
    pipeline: keepsSplit ? config.pipeline : pipeline,
  };
}

/**
 * Rows of one replica in a full batch and in an epoch's last batch. If the rows are unknown, all batches count as full.
 */
function rowsOfReplica(config: Config, rows: number | undefined) {
  const { batchSize } = config;
  const replicas = replicasOf(config);
  const full = Math.floor(Math.min(batchSize, rows ?? batchSize) / replicas);
  const last = rows === undefined ? full : Math.ceil(rows / replicas) % full || full;
  return { full, last };
}

/**
 * The number of micro-batches nearest to the chosen one that the schedule can order, preferably of equal size;
 * undefined: it can order none.
 */
function microBatchesFor(config: Config, rows: number | undefined): number | undefined {
  const { schedule, microBatches: wanted } = config.pipeline;
  if (schedule === 'own') return wanted;
  const { full } = rowsOfReplica(config, rows);
  const most = Math.min(MOST_MICRO_BATCHES, Math.max(1, Math.floor(full / leastRows(config))));
  const legal = Array.from({ length: most }, (_, i) => i + 1).filter((count) => canOrder(config, count));
  const even = legal.filter((count) => full % count === 0);
  return (even.length > 0 ? even : legal).toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
}

/** torch's rules for the sizes of a schedule, as in schedules/size-rules.ts; a test compares the two. */
export function canOrder(config: Config, microBatches: number): boolean {
  const { pp } = meshSizes(config);
  const { schedule } = config.pipeline;
  if (schedule === '1F1B') return microBatches >= pp;
  if (schedule === 'DualPipeV') return microBatches >= 2 * pp;
  if (schedule === 'Interleaved1F1B' || schedule === 'InterleavedZeroBubble')
    return microBatches % Math.max(1, Math.floor(microBatches / pp)) === 0;
  return true;
}

/** Whether an epoch may end with a short batch: PyTorch's stages take batches of one size. */
function endsShort(config: Config, rows: number | undefined): boolean {
  if (rows === undefined) return true;
  if (rows < config.batchSize) return false;
  const { full, last } = rowsOfReplica(config, rows);
  return last !== full;
}
