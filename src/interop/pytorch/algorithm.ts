/**
 * What a PyTorch script can say about the algorithm of DDP's all-reduce, which is little: gloo has its ring; NCCL
 * chooses by size and topology unless NCCL_ALGO names others. Its tree is a chain inside a node and a double binary
 * tree across nodes. Called by script.ts.
 */

import type { AlgorithmName } from '../../protocol/collective';
import type { Config } from '../../protocol/config';
import { ALGORITHMS } from '../../protocol/words/algorithms';

const NO_CHOICE = 'is no choice in torch: gloo takes its ring, NCCL a ring or a tree';

/**
 * Lines before init_process_group. From NCCL 2.24 on NCCL_ALGO binds every collective, and a broadcast has no tree:
 * 'Tree' alone would end DDP's constructor with "no algorithm/protocol available for function Broadcast". So all others
 * keep ring and tree, and only the all-reduce is held to the tree.
 */
export function algorithmLines({ ddp: { algorithm }, nodes }: Pick<Config, 'ddp' | 'nodes'>): readonly string[] {
  switch (algorithm) {
    case 'ring':
      // gloo's, whose order of summation the run has; what NCCL takes by itself is its own affair.
      return [];
    case 'naive':
      return [`# the all-reduce through rank 0 ${NO_CHOICE}`];
    case 'tree':
      return [
        "# a single binary tree is no choice in torch: NCCL's tree is a chain in a node, a double tree across nodes",
      ];
    case 'halvingDoubling':
      return [`# recursive halving and doubling ${NO_CHOICE}`];
    case 'hierarchical':
      return [
        '# how NCCL crosses nodes it decides itself: its tree is a chain in each node, a double tree across them',
      ];
    case 'doubleTree':
      return [
        `# NCCL 2.24 and later; before: 'Tree'.${nodes === 1 ? ' The double tree is across nodes: inside one NCCL makes a chain' : ''}`,
        "os.environ['NCCL_ALGO'] = 'ring,tree;allreduce:tree'",
      ];
  }
}

/** As in 'buckets all-reduced naively while backward runs'; of the ring, which is usual, nothing is said. */
export const algorithmAdverb = (algorithm: AlgorithmName): string =>
  algorithm === 'ring' ? '' : ` ${ALGORITHMS[algorithm].way}`;
