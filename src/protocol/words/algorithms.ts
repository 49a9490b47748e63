/**
 * The algorithms of collectives: their names in settings, and in words, for the page, the notices, the sentences below
 * the stage and the PyTorch listing. For the advantages of each algorithm see trace/moments/algorithm-why.ts, for its
 * bytes trace/formula.ts.
 */
interface AlgorithmWords {
  readonly name: string;
  /** Name for the ends of lines, where space is short. */
  readonly short: string;
  /** After 'is being summed' or 'are all-reduced'. */
  readonly way: string;
}

const WORDS = {
  ring: { name: 'ring', short: 'ring', way: 'around the ring' },
  naive: { name: 'naive exchange', short: 'naive', way: 'naively' },
  tree: { name: 'binary tree', short: 'tree', way: 'through a tree' },
  doubleTree: { name: 'double binary tree', short: 'double tree', way: 'through two trees' },
  halvingDoubling: {
    name: 'recursive halving-doubling',
    short: 'halving-doubling',
    way: 'by halving and doubling',
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
