/**
 * In most schedules PyTorch's DDP around a stage stops when it rebuilds its buckets. Scripts then pass
 * find_unused_parameters, with which DDP keeps the constructor's buckets. Called by settle.ts and listing.ts.
 */
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import { halvesBackward } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { scheduleOf } from './stage-graphs';

/** DDP rebuilds its buckets at its second forward pass, and must have reduced before. */
export const stopsAtRebuild = ({ name, stages, microBatches }: Schedule): boolean =>
  !(name === '1F1B' && microBatches > stages);

/** PowerSGD draws where it starts for each bucket, so a run with PowerSGD keeps the buckets that its script keeps. */
export function withKeptBuckets(config: Config): Config {
  if (config.ddp.commHook.type !== 'powerSGD' || replicasOf(config) === 1) return config;
  const schedule = scheduleOf(config);
  return halvesBackward(schedule) || !stopsAtRebuild(schedule)
    ? config
    : { ...config, ddp: { ...config.ddp, findUnusedParameters: true } };
}
