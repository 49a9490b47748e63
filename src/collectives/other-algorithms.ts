/** The algorithms that a run loads when it has one of them (algorithms.ts). Lab and process groups have them all. */
import type { Algorithm } from './collective';
import { doubleTree } from './double-tree';
import { halvingDoubling } from './halving-doubling';
import { hierarchical } from './hierarchical';
import { tree } from './tree';

export const OTHER_ALGORITHMS: readonly Algorithm[] = [tree, doubleTree, halvingDoubling, hierarchical];
