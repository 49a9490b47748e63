/**
 * Where a training script stops early under DDP: a rank that has run out of batches leaves the others waiting (uneven
 * inputs without join), or the reducer refuses the next forward pass because parameters got no gradient. The steps
 * before count. Called by axes/.
 */
import { LockstepError } from '../../base/errors';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config } from '../../protocol/config';
import { stepOf, stepWords } from '../../protocol/micro-batches';
import type { ModeStop, NoticeInput } from '../facets/mode-checks';
import type { StageGraph } from '../stage-graph';
import { findsUnused, unusedParameters } from './ready-order';

/** The earlier of the two stops; undefined: the script never stops early. `stage`: the graph of a rank. */
export function stopOf({ config, schedule, stage }: NoticeInput): ModeStop | undefined {
  const found = [uneven(config, schedule, stage), unfinished(config, stage)].filter((stop) => stop !== undefined);
  return found.sort((a, b) => a.microBatch - b.microBatch)[0];
}

function uneven(config: Config, { totals }: BatchSchedule, stage: StageGraph): ModeStop | undefined {
  const microBatch = Math.min(...totals);
  if (config.ddp.join || microBatch === Math.max(...totals)) return undefined;
  const ranksWith = (test: (total: number) => boolean) => totals.flatMap((total, rank) => (test(total) ? [rank] : []));
  const finished = ranksWith((total) => total === microBatch);
  const waiting = ranksWith((total) => total > microBatch);
  const buffers = config.ddp.broadcastBuffers && stage.graph.values.some((v) => v.role === 'buffer');
  const where = buffers && finished.includes(0) ? 'broadcast of the buffers' : 'all_reduce of bucket 0';
  const timeoutMs = Math.round(1000 * config.timeoutS);
  return {
    microBatch,
    error: new LockstepError(
      // Not 'timeout', because a timeout restarts all ranks, and they would run out at the same place again.
      'data',
      `Timed out waiting ${timeoutMs}ms for recv operation to complete: at ${stepWords(microBatch, config)} ${named(finished)} no more batches, and ${waits(waiting)} in ${where} for a peer that never comes.`,
      'Wrap the loop in `with model.join():` (ddp.join), or give every rank the same number of batches (a DistributedSampler does).',
      { step: stepOf(microBatch, config), finished, waiting, collective: where, timeoutMs },
    ),
  };
}

const list = (ranks: readonly number[]): string =>
  ranks.length === 1 ? `rank ${ranks[0]}` : `ranks ${ranks.join(', ')}`;
const named = (ranks: readonly number[]): string => `${list(ranks)} ${ranks.length === 1 ? 'has' : 'have'}`;
const waits = (ranks: readonly number[]): string => `${list(ranks)} ${ranks.length === 1 ? 'waits' : 'wait'}`;

/** The reducer could not reduce in the first synced pass, so it refuses the next forward pass. */
function unfinished(config: Config, stage: StageGraph): ModeStop | undefined {
  if (findsUnused(config) || config.ddp.staticGraph) return undefined;
  const { registered } = stage;
  const names = new Set(unusedParameters(stage).map((p) => p.name));
  if (names.size === 0) return undefined;
  const indices = registered.flatMap((p, i) => (names.has(p.name) ? [i] : []));
  const every = config.ddp.noSync === 'backward' || config.ddp.noSync === 'none';
  return {
    microBatch: every ? 1 : config.accumulate,
    error: new LockstepError(
      'config',
      `Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your module has parameters that were not used in producing loss. You can enable unused parameter detection by passing the keyword argument \`find_unused_parameters=True\` to \`torch.nn.parallel.DistributedDataParallel\`, and by making sure all \`forward\` function outputs participate in calculating loss. Parameter indices which did not receive grad for rank 0: ${indices.join(' ')} (${[...names].join(', ')}).`,
      `Set ddp.findUnusedParameters${config.mode === 'ddp' ? ' (or ddp.staticGraph)' : ''}, or take the modules that forward() does not call out of the model. The first step was not reduced: the ranks have drifted apart.`,
      { indices, parameters: [...names] },
    ),
  };
}
