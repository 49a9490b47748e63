/** Whether fully_shard is around the model: it keeps parameters in shards along dpShard. Called by several modes. */
import type { Config } from '../../protocol/config';
import { meshSizes, openAxis } from '../../protocol/mesh-sizes';

/** From stage 2 of ZeRO on, in a mode that is about shards also on one rank. */
export const shardsParameters = (config: Config): boolean =>
  config.sharded.stage >= 2 && (openAxis(config.mode) === 'dpShard' || meshSizes(config).dpShard > 1);
