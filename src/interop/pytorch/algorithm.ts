/**
 * The lines of a PyTorch script about the algorithm of DDP's all-reduce. A script can choose little: gloo always uses
 * its ring; NCCL chooses by size and topology unless NCCL_ALGO names algorithms. NCCL's tree is a chain inside a node
 * and a double binary tree across nodes. Called by script.ts.
 */

import type { AlgorithmName } from '../../protocol/collective';
import type { Config } from '../../protocol/config';
import { ALGORITHMS } from '../../protocol/words/algorithms';

const NO_CHOICE = 'cannot be chosen in torch: gloo uses its ring, NCCL a ring or a tree';

/**
 * Lines before init_process_group. From NCCL 2.24 on, NCCL_ALGO applies to every collective, but a broadcast has no
 * tree: 'Tree' alone would stop DDP's constructor with "no algorithm/protocol available for function Broadcast". So
 * only the all-reduce is restricted to the tree, and all other collectives may use ring and tree.
 */
export function algorithmLines({ ddp: { algorithm }, nodes }: Pick<Config, 'ddp' | 'nodes'>): readonly string[] {
  switch (algorithm) {
    case 'ring':
      // gloo's ring, whose order of summation the run has; NCCL makes its own choice.
      return [];
    case 'naive':
      return [`# the all-reduce through rank 0 ${NO_CHOICE}`];
    case 'tree':
      return [
        "# a single binary tree cannot be chosen in torch: NCCL's tree is a chain in a node, a double tree across nodes",
      ];
    case 'hierarchical':
      return ['# NCCL itself decides how to cross nodes: its tree is a chain in each node, a double tree across nodes'];
    case 'doubleTree':
      return [
        `# NCCL 2.24 and later; before: 'Tree'.${nodes === 1 ? ' The double tree is across nodes: inside one NCCL makes a chain' : ''}`,
        "os.environ['NCCL_ALGO'] = 'ring,tree;allreduce:tree'",
      ];
    default:
      return [`# ${ALGORITHMS[algorithm].name} ${NO_CHOICE}`];
  }
}

/** As in 'buckets all-reduced naively while backward runs'; '' for the ring, the usual algorithm. */
export const algorithmAdverb = (algorithm: AlgorithmName): string =>
  algorithm === 'ring' ? '' : ` ${ALGORITHMS[algorithm].way}`;
