/** The readers of checkpoints and weights files, as one loadable part of the site. */
export { initialWeights } from '../weights/initial-weights';
export { prefixNotices } from './prefix-notices';
export { readCheckpoint } from './read-checkpoint';
export { resumePlan } from './resume-plan';
export { stateOfRank0 } from './state-of-rank0';
