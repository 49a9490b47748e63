/** The table of algorithms. One file each; a new one is a row here and a name in protocol/collective. */
import { must } from '../base/invariant';
import type { AlgorithmName, CollectiveOp } from '../protocol/collective';
import type { Algorithm } from './collective';
import { doubleTree } from './double-tree';
import { halvingDoubling } from './halving-doubling';
import { hierarchical } from './hierarchical';
import { naive } from './naive';
import { ring } from './ring';
import { tree } from './tree';

export const ALGORITHMS: readonly Algorithm[] = [ring, naive, tree, doubleTree, halvingDoubling, hierarchical];

/** The algorithm of that name, or naive where it does not know the collective. */
export function algorithmFor(name: AlgorithmName, op: CollectiveOp): Algorithm {
  const found = ALGORITHMS.find((algorithm) => algorithm.name === name && algorithm.ops.includes(op));
  return (
    found ??
    must(
      ALGORITHMS.find((algorithm) => algorithm.name === 'naive'),
      'naive',
    )
  );
}
