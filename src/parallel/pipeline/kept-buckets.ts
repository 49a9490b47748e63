/**
 * In most schedules PyTorch's DDP around a stage stops when it rebuilds its buckets. Scripts then pass
 * find_unused_parameters, with which DDP keeps the constructor's buckets. Called by ddp-around-stages.ts and
 * listing.ts.
 */
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import { halvesBackward } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { scheduleOf } from './stage-graphs';

/** DDP rebuilds its buckets at its second forward pass, and must have reduced before. */
export const stopsAtRebuild = ({ name, stages, microBatches }: Schedule): boolean =>
  !(name === '1F1B' && microBatches > stages);

/**
 * Whether DDP around each stage keeps the constructor's buckets because the script passes find_unused_parameters, even
 * if the user's setting is off. PowerSGD draws its start for each bucket, so only its numbers depend on the buckets.
 */
function keepsBuckets(config: Config): boolean {
  if (config.ddp.commHook.type !== 'powerSGD' || replicasOf(config) === 1) return false;
  const schedule = scheduleOf(config);
  return !halvesBackward(schedule) && stopsAtRebuild(schedule);
}

/** What the script passes to DDP around each stage, for the reducer and its buckets. The run reports `config`. */
export const passedToDdp = (config: Config): Config =>
  keepsBuckets(config) ? { ...config, ddp: { ...config.ddp, findUnusedParameters: true } } : config;
