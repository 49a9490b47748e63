/**
 * Random numbers in a pipeline. As in torch, every rank is a process that draws the dropout masks of its stages from
 * its own default generator, in the order of its schedule, so after the first step the ranks' generators differ. If
 * loaders shuffled with these generators, the first and the last stage would get different rows; therefore all ranks
 * then take the order from a DistributedSampler, which has a seed. Called by axes/stages and listing.ts.
 */
import type { Config } from '../../protocol/config';
import { hasDropout } from '../../protocol/config/layer-kinds';
import { meshSizes, replicasOf } from '../../protocol/mesh-sizes';

/** Whether several ranks have the rows of one batch, and masks to draw. */
export const ranksDraw = (config: Config): boolean => meshSizes(config).pp > 1 && hasDropout(config.model.layers);

/** Whether ranks take their rows from a DistributedSampler. */
export const hasSampler = (config: Config): boolean => replicasOf(config) > 1 || (config.shuffle && ranksDraw(config));
