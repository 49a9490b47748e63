/**
 * The algorithms of collectives: their names in settings; their names and advantages in words, for the page, the
 * notices, the sentences below the stage and the PyTorch listing. For the bytes of each see trace/formula.ts.
 */
interface AlgorithmWords {
  readonly name: string;
  /** Name for the ends of lines, where space is short. */
  readonly short: string;
  /** After 'is being summed' or 'are all-reduced'. */
  readonly way: string;
  /**
   * Explains the first round of an all-reduce. `swap`: the ranks of a pair send to each other at once. Absent:
   * trace/moments has its own words for the algorithm.
   */
  readonly begins?: (ranks: number, swap: boolean) => string;
  /** Explains why no more sums are computed from here on. */
  readonly turns?: string;
}

const WORDS = {
  ring: { name: 'ring', short: 'ring', way: 'around the ring' },
  naive: {
    name: 'naive exchange',
    short: 'naive',
    way: 'naively',
    begins: (ranks) =>
      ranks === 2
        ? 'One rank collects everything: it receives a whole tensor over its link.'
        : `One rank collects everything: it receives ${ranks - 1} whole tensors, one after the other, over its link. The other ranks wait.`,
    turns: 'One rank has the result and sends it to all other ranks.',
  },
  tree: {
    name: 'binary tree',
    short: 'tree',
    way: 'through a tree',
    begins: () => 'Each round halves the number of partial sums, so even many ranks need only a few rounds.',
    turns: 'The root of the tree has the full sum. The sum travels down the same tree.',
  },
  doubleTree: {
    name: 'double binary tree',
    short: 'double tree',
    way: 'through two trees',
    begins: () =>
      'Each of two trees carries half of the tensor. A rank inside one tree is a leaf of the other tree, so all links are used.',
    turns: 'The root of each tree has the full sum of its half. The sums travel down the same trees.',
  },
  halvingDoubling: {
    name: 'recursive halving-doubling',
    short: 'halving-doubling',
    way: 'by halving and doubling',
    begins: (_, swap) =>
      swap
        ? 'Each round halves what is left to sum. The ranks send as few bytes as around a ring, in far fewer rounds.'
        : 'The number of ranks is not a power of two, so some ranks first hand their tensor to another rank and receive the result at the end.',
    turns: 'The same exchanges in reverse: each round doubles the finished part of every rank.',
  },
  hierarchical: { name: 'hierarchical over nodes', short: 'hierarchical', way: 'node by node' },
} as const satisfies Readonly<Record<string, AlgorithmWords>>;

export type AlgorithmName = keyof typeof WORDS;
export const ALGORITHMS: Readonly<Record<AlgorithmName, AlgorithmWords>> = WORDS;

/** In the order of the page's menus. */
export const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as readonly AlgorithmName[];

/** The names alone, for menus. */
export const namesOf = (column: 'name' | 'short'): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(ALGORITHMS).map(([algorithm, words]) => [algorithm, words[column]]));
