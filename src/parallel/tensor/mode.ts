/**
 * Tensor and sequence parallelism: the axis tp (axes/cuts), beside which a mesh may have data axes. With shards along
 * dpShard a run has the facets of mode sharded.
 */
import { Part } from '../../base/part';
import { spmd } from '../axes/spmd';
import { SCRIPT } from '../mode';
import { tensor as face } from './face';

export const tensor = spmd({
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).tensorListing),
});
