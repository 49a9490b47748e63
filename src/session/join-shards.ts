/** Joins checkpoints in shards for the page, which may import from session/ but not from training/. */
export { joinShards } from '../training/checkpoint/join-shards';
