/**
 * Random numbers of ranks that share a batch: the ranks of a pipeline, and the ranks of a tensor group. As in torch,
 * each of them is a process that draws its dropout masks from its own default generator: the masks of its stages in the
 * order of the schedule, or the masks of its parts of the layers. All generators begin with one seed, but ranks that
 * draw different amounts have different generators after the first step. If loaders shuffled with these generators, the
 * ranks would get different rows; therefore all ranks then take the order from a DistributedSampler, which has a seed.
 * Called by this folder and by listings.
 */
import type { Config } from '../../protocol/config';
import { hasDropout } from '../../protocol/config/layer-kinds';
import { meshSizes, replicasOf } from '../../protocol/mesh-sizes';

/** Whether several ranks have the rows of one batch, and masks to draw. */
export function ranksDraw(config: Config): boolean {
  const { pp, tp } = meshSizes(config);
  return pp * tp > 1 && hasDropout(config.model.layers);
}

/** Whether ranks take their rows from a DistributedSampler. */
export const hasSampler = (config: Config): boolean => replicasOf(config) > 1 || (config.shuffle && ranksDraw(config));

/** A note in scripts. */
export const MASKS_AND_ROWS =
  '# dropout: each rank draws masks from its own generator, so the order of rows must not come from that generator, too';
