/** Explains what each algorithm of an all-reduce gains. Called by round-why.ts. */
import type { AlgorithmName } from '../../protocol/collective';

interface AlgorithmWhy {
  /** Explains the first round. `swap`: the ranks of a pair send to each other at once. */
  readonly begins: (ranks: number, swap: boolean) => string;
  /** Explains why no more sums are computed from here on. */
  readonly turns: string;
}

/** The ring and the hierarchy have their own words in round-why.ts and hierarchical-words.ts. */
export const ALGORITHM_WHY: Readonly<Record<Exclude<AlgorithmName, 'ring' | 'hierarchical'>, AlgorithmWhy>> = {
  naive: {
    begins: (ranks) =>
      ranks === 2
        ? 'One rank collects everything: it receives a whole tensor over its link.'
        : `One rank collects everything: it receives ${ranks - 1} whole tensors, one after the other, over its link. The other ranks wait.`,
    turns: 'One rank has the result and sends it to all other ranks.',
  },
  tree: {
    begins: () => 'Each round halves the number of partial sums, so even many ranks need only a few rounds.',
    turns: 'The root of the tree has the full sum. The sum travels down the same tree.',
  },
  doubleTree: {
    begins: () =>
      'Each of two trees carries half of the tensor. A rank inside one tree is a leaf of the other tree, so all links are used.',
    turns: 'The root of each tree has the full sum of its half. The sums travel down the same trees.',
  },
  halvingDoubling: {
    begins: (_, swap) =>
      swap
        ? 'Each round halves what is left to sum. The ranks send as few bytes as around a ring, in far fewer rounds.'
        : 'The number of ranks is not a power of two, so some ranks first hand their tensor to another rank and receive the result at the end.',
    turns: 'The same exchanges in reverse: each round doubles the finished part of every rank.',
  },
};
