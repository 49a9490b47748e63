/**
 * Sharded data parallelism: FSDP2's fully_shard (axes/shards) and the first stages of ZeRO (axes/zero) along dpShard,
 * beside which a mesh may have replicas and tp.
 */
import { Part } from '../../base/part';
import { spmd } from '../axes/spmd';
import { SCRIPT } from '../mode';
import { sharded as face } from './face';

export const sharded = spmd({
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).shardedListing),
});
