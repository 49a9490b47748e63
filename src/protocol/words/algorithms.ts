/**
 * What the algorithms of collectives are called: by the page, the notices, the sentence under the stage and the PyTorch
 * listing. How many bytes each sends is in trace/formula.ts.
 */
import type { AlgorithmName } from '../collective';

interface AlgorithmWords {
  readonly name: string;
  /** For the ends of lines, where there is little room. */
  readonly short: string;
  /** After 'is being summed' or 'are all-reduced'. */
  readonly way: string;
}

export const ALGORITHMS: Readonly<Record<AlgorithmName, AlgorithmWords>> = {
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
};

/** The names alone, for menus. */
export const namesOf = (column: 'name' | 'short'): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(ALGORITHMS).map(([algorithm, words]) => [algorithm, words[column]]));
