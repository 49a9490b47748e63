/** Checkpoints in shards for the page, which takes files as they are: it sees the session, not the training. */
export { joinShards } from '../training/checkpoint/join-shards';
