/** How ranks are spread over nodes, and how the members of a group are sorted by them. */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { placesByNode, ranksByNode, spreadOverNodes } from './nodes';

test('the ranks are distributed over the nodes as evenly as possible, in order; a surplus node stays empty', () => {
  expect(spreadOverNodes(8, 2)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  expect(spreadOverNodes(5, 2)).toEqual([0, 0, 0, 1, 1]);
  expect(spreadOverNodes(2, 4)).toEqual([0, 1]);
});

test('all ranks by node', () => {
  expect(ranksByNode(5, 2)).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

test('members of a group by node, as ranks within the group', () => {
  const nodeOf = spreadOverNodes(8, 2);
  expect(placesByNode([1, 3, 5, 7], (rank) => at(nodeOf, rank))).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(placesByNode([0, 2], (rank) => at(nodeOf, rank))).toEqual([[0, 1]]);
});
