/**
 * The parts of DDP that only some runs need: join(), the map of used parameters, collectives inside a graph, notices
 * and bytes of communication hooks, the step where a script stops, the broadcast of a checkpoint. training/load-parts
 * loads them for these runs; the other files of this folder call them.
 */
import { loadAll, Part } from '../../base/part';
import type { Config } from '../../protocol/config';
import { hasUnused } from '../../protocol/config/layer-kinds';
import { modelHalf } from '../../protocol/half-of';
import { meshSizes } from '../../protocol/mesh-sizes';
import { NORM_OF_LINES } from '../emit-optimizer';
import { GRAPH_COLLECTIVES } from '../step/walk';

export const JOIN = new Part('join()', () => import('./join'));
export const USED_MAP = new Part('The map of used parameters', () => import('./used-map'));
export const HOOK_NOTICES = new Part('Notices about hooks', () => import('./hook-notices'));
export const SETTING_NOTICES = new Part('Notices about DDP', () => import('./setting-notices'));
export const STOPS = new Part('The end of a run', () => import('./stops'));
export const BROADCAST_STATE = new Part('The broadcast of a checkpoint', () => import('./broadcast-state'));
export const HOOK_BYTES = new Part('The bytes of hooks', () => import('./hook-bytes'));
if (!globalThis.LOCKSTEP_SITE)
  await loadAll([JOIN, USED_MAP, STOPS, BROADCAST_STATE, HOOK_NOTICES, SETTING_NOTICES, HOOK_BYTES]);

export const hasHook = ({ ddp }: Pick<Config, 'ddp'>): boolean => ddp.commHook.type !== 'allreduce';
/** Whether ranks all-reduce something other than every gradient in float32. */
export const hasOwnBytes = (config: Pick<Config, 'ddp' | 'precision'>): boolean =>
  hasHook(config) || modelHalf(config.precision) !== undefined;
/** Whether the run has a hook or SyncBatchNorm. */
export const hasHookNotices = (config: Pick<Config, 'ddp'>): boolean => hasHook(config) || config.ddp.syncBatchNorm;

/** Whether a setting differs from its default that has a notice: it may have no effect, or surprise. */
export const hasOwnSettings = ({ ddp }: Config): boolean =>
  ddp.algorithm !== 'ring' ||
  ddp.noSync !== 'both' ||
  ddp.rankSeeds !== 'same' ||
  !(ddp.overlap && ddp.setEpoch && ddp.divideByInitialWorldSize && ddp.broadcastBuffers && ddp.initSync) ||
  ddp.join ||
  ddp.staticGraph ||
  ddp.findUnusedParameters;

/** Whether ranks may have different numbers of batches, or parameters may get no gradient. */
export const mayStop = ({ ddp, model }: Pick<Config, 'ddp' | 'model'>): boolean =>
  ddp.samplesPerRank !== undefined || hasUnused(model.layers);

/** Whether a script may pass find_unused_parameters although the setting is off (pipeline/kept-buckets.ts). */
const maySearch = ({ mode, ddp }: Config): boolean => mode === 'pipeline' && ddp.commHook.type === 'powerSGD';

/** Await this before DDP, or a mode that uses its parts, compiles this configuration. */
export async function loadRareParts(config: Config): Promise<void> {
  const { ddp, resume, weights } = config;
  const { tp, dpShard } = meshSizes(config);
  const isCut = tp > 1;
  await loadAll([
    ...(ddp.join ? [JOIN] : []),
    ...(ddp.findUnusedParameters || maySearch(config) ? [USED_MAP] : []),
    ...(ddp.syncBatchNorm || isCut ? [GRAPH_COLLECTIVES] : []),
    ...(isCut || dpShard > 1 ? [NORM_OF_LINES] : []),
    ...(mayStop(config) ? [STOPS] : []),
    ...(resume === undefined && weights === undefined ? [] : [BROADCAST_STATE]),
    ...(hasOwnBytes(config) ? [HOOK_BYTES] : []),
    ...(hasHookNotices(config) ? [HOOK_NOTICES] : []),
    ...(hasOwnSettings(config) ? [SETTING_NOTICES] : []),
  ]);
}
