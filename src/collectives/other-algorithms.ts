/** The algorithms that only runs with one of them load (algorithms.ts). The lab and process groups load all. */
import type { Algorithm } from './collective';
import { doubleTree } from './double-tree';
import { halvingDoubling } from './halving-doubling';
import { hierarchical } from './hierarchical';
import { tree } from './tree';

export const OTHER_ALGORITHMS: readonly Algorithm[] = [tree, doubleTree, halvingDoubling, hierarchical];
