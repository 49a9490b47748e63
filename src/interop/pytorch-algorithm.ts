/**
 * What a PyTorch script can say about the algorithm of DDP's all-reduce, which is little: gloo has its ring, NCCL chooses for itself by size and topology unless
 * NCCL_ALGO names Ring or Tree (its Tree is the double binary one). Called by pytorch-code.ts.
 */
import type { AlgorithmName } from '../protocol/collective';

/** Lines before init_process_group. */
export const ALGORITHM_LINES: Readonly<Record<AlgorithmName, readonly string[]>> = {
  // gloo's, whose order of summation the run has; what NCCL takes by itself is its own affair.
  ring: [],
  naive: ['# the all-reduce through rank 0 is no choice in torch: gloo takes its ring, NCCL a ring or a tree'],
  tree: ['# a single binary tree is no choice in torch: NCCL_ALGO=Tree is the double one'],
  doubleTree: ["os.environ['NCCL_ALGO'] = 'Tree'"],
  halvingDoubling: [
    '# recursive halving and doubling is no choice in torch: gloo takes its ring, NCCL a ring or a tree',
  ],
  hierarchical: [
    '# how NCCL crosses nodes it decides itself: NCCL_ALGO=Tree is a chain in each node, a double tree across',
  ],
};

/** As in 'buckets all-reduced naively while backward runs'. */
export const ALGORITHM_ADVERBS: Readonly<Record<AlgorithmName, string>> = {
  ring: '',
  naive: ' naively',
  tree: ' through a tree',
  doubleTree: ' through two trees',
  halvingDoubling: ' by halving and doubling',
  hierarchical: ' by nodes',
};
