/**
 * Random numbers in a pipeline. As in torch every rank is a process with a default generator of its own, and draws the
 * dropout masks of its stages from it, in the order of its schedule; so after the first step the generators of the
 * ranks differ. A loader that shuffles by them would give the first and the last stage different rows: then all ranks
 * take the order from a DistributedSampler, which has a seed. Called by mode.ts and listing.ts.
 */
import type { Config } from '../../protocol/config';
import { hasDropout } from '../../protocol/config/layer-kinds';
import { meshSizes, replicasOf } from '../../protocol/mesh-sizes';

/** Several ranks have the rows of one batch, and masks to draw. */
export const ranksDraw = (config: Config): boolean => meshSizes(config).pp > 1 && hasDropout(config.model.layers);

/** Whether ranks take their rows from a DistributedSampler. */
export const hasSampler = (config: Config): boolean => replicasOf(config) > 1 || (config.shuffle && ranksDraw(config));
