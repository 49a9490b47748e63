import { expect, it } from 'vitest';
import { openTestSession } from '../../session/testing/open-session';
import { PAGE_PRESETS } from '../edit/page-presets';
import { type MemoryNode, memoryTree, moduleOf, visibleRows } from './memory-tree';

function checkSums(node: MemoryNode): void {
  if (node.children.length === 0) return;
  expect(
    node.children.reduce((total, { bytes }) => total + bytes, 0),
    node.id,
  ).toBe(node.bytes);
  node.children.forEach(checkSums);
}

it.each(['cnn', 'gpt'] as const)('%s: every level adds up, and the whole is the planned peak', async (name) => {
  const config = { ...PAGE_PRESETS[name], device: 'cpu' as const, worldSize: 2, compareSingle: false };
  const { info, close } = await openTestSession(config);
  expect(info.memory).toHaveLength(2);
  for (const memory of info.memory) {
    const tree = memoryTree(memory, 'rank 0');
    expect(tree.name).toBe('rank 0');
    expect(tree.bytes).toBe(memory.peakBytes);
    checkSums(tree);
    const everything = new Set<string>();
    const all = (node: MemoryNode): void => {
      everything.add(node.id);
      node.children.forEach(all);
    };
    all(tree);
    expect(visibleRows([tree], everything)).toHaveLength(everything.size);
    expect(visibleRows([tree], new Set())).toHaveLength(1);
  }
  await close();
});

it('knows the module of a tensor', () => {
  expect(moduleOf('0.weight')).toBe('0');
  expect(moduleOf('blocks.1.qkv.out.grad')).toBe('blocks.1.qkv');
  expect(moduleOf('9.weight.momentum_buffer')).toBe('9');
  expect(moduleOf('blocks.0.attention')).toBe('blocks.0');
  expect(moduleOf('bucket0')).toBe('of no module');
  expect(moduleOf('loss/cross-entropy.1')).toBe('of no module');
  expect(moduleOf('2.conv/conv2d-grad-params.2@1')).toBe('2');
});
