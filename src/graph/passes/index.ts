/**
 * The fusions, in the order in which they run; each has its own file and can be left out. Called by `parallel` for
 * every graph that it emits.
 */
import type { Graph } from '../graph';
import type { ValueId } from '../op';
import { fuseActivation } from './fuse-activation';
import { fuseElementwise } from './fuse-elementwise';
import { fuseLinearBackward } from './fuse-linear-backward';
import { fuseLoss } from './fuse-loss';
import { fuseNormPool } from './fuse-norm-pool';
import { fuseNormRelu } from './fuse-norm-relu';
import { fusePoolRelu } from './fuse-pool-relu';
import { type GraphPass, prune } from './rewrite';

export const FUSIONS: Readonly<Record<string, GraphPass>> = {
  fuseActivation,
  fuseLinearBackward,
  fuseLoss,
  fusePoolRelu,
  fuseNormPool,
  fuseNormRelu,
  fuseElementwise,
};

export interface FuseOptions {
  /** All fusions if absent. */
  readonly passes?: readonly GraphPass[];
  /**
   * The backward pass starts from a gradient that is made once the loss is computed, as by GradScaler, so the loss and
   * its gradient are not one operator.
   */
  readonly seedAfterLoss?: boolean;
}

/** `keep`: values that code outside the graph reads (outputs, gradients of parameters). */
export function fuse(
  graph: Graph,
  keep: ReadonlySet<ValueId>,
  { passes = Object.values(FUSIONS), seedAfterLoss = false }: FuseOptions = {},
): Graph {
  return prune(
    passes
      .filter((pass) => !(seedAfterLoss && pass === fuseLoss))
      .reduce((current, pass) => pass(current, keep), graph),
    keep,
  );
}
