/** Questions about kinds of optimisers. Pure; called by the optimisers, the listings and DDP's face. */
import type { OptimizerConfig } from './optimizer';

/** Whether weight decay shrinks the parameter instead of being added to the gradient. */
export const isDecoupled = (optimizer: OptimizerConfig): boolean =>
  optimizer.type === 'AdamW' || ('decoupledWeightDecay' in optimizer && optimizer.decoupledWeightDecay);
