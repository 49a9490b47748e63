/**
 * What kinds of optimisers there are, for those who ask about a kind and not about an optimiser. Pure; called by the
 * optimisers, the listings and DDP's face.
 */
import type { OptimizerConfig } from './optimizer';

/** Whether the weight decay shrinks the parameter, in place of being added to the gradient. */
export const isDecoupled = (optimizer: OptimizerConfig): boolean =>
  optimizer.type === 'AdamW' || ('decoupledWeightDecay' in optimizer && optimizer.decoupledWeightDecay);
