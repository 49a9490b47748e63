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
 * The configuration of the reducer and its buckets around each stage. PowerSGD draws its start for each bucket, so its
 * numbers depend on the buckets: those that DDP keeps if the script passes find_unused_parameters, or those that the
 * script makes itself where backward runs in halves, whatever the user's setting. The run reports `config`.
 */
export function passedToDdp(config: Config): Config {
  if (config.ddp.commHook.type !== 'powerSGD' || replicasOf(config) === 1) return config;
  const schedule = scheduleOf(config);
  const findUnusedParameters = halvesBackward(schedule)
    ? false
    : config.ddp.findUnusedParameters || stopsAtRebuild(schedule);
  return { ...config, ddp: { ...config.ddp, findUnusedParameters } };
}
