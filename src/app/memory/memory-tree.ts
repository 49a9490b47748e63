/**
 * The memory plan as a tree: device, category, module, allocation. Bytes add up at every level; a device's sum is what
 * the run reserves on it. Several tensors may share an allocation, one after the other; it is listed under the first.
 * Pure.
 */

import { groupBy } from '../../base/group-by';
import { type DeviceMemory, MEMORY_CATEGORIES, type MemoryCategory, type MemoryEntry } from '../../protocol/trace';
import { bufferWords } from '../../trace/buffer-words';

export interface MemoryNode {
  /** Path of the node: 'cuda:0/activation/blocks.0'. */
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** The tensors that share the allocation, in the order of their lifetimes; only for leaves. */
  readonly tensors: readonly string[];
  readonly children: readonly MemoryNode[];
}

export const CATEGORY_WORDS: Readonly<Record<MemoryCategory, string>> = {
  parameter: 'parameters',
  unsharded: 'gathered parameters',
  gradient: 'gradients',
  optimizer: 'optimiser state',
  buffer: 'running statistics',
  bucket: 'buckets',
  activation: 'activations',
  data: 'batch',
  communication: 'communication',
};

const NO_MODULE = 'of no module';
const LAST =
  /\.(?:unsharded\.\w+|weight|bias|out|mean|invstd|rstd|lse|attention|middle|running_mean|running_var|num_batches_tracked|grad|part\d+|momentum_buffer|exp_avg|exp_avg_sq|max_exp_avg_sq|square_avg|grad_avg|acc_delta|sum|exp_inf|exp_avg_max)(?:\..*)?$/;

/** Scratch memory of a kernel: '2.conv/conv2d-grad-params.2'. */
const SCRATCH = /^(?:(.+)\.)?[\w-]+\/[\w-]+(?:\.\d+)*$/;

/** '0' of '0.weight.grad', 'blocks.1.qkv' of 'blocks.1.qkv.out', '2' of '2.conv/conv2d-grad-params.2'. */
export function moduleOf(tensor: string): string {
  if (tensor.includes('/')) return SCRATCH.exec(tensor.replace(/(?:@\d+)?(?:~\d+)?$/, ''))?.[1] ?? NO_MODULE;
  // Removes the suffix of a micro-batch or of a later lifetime: '3.out@2', '0.unsharded.weight~1'.
  const name = tensor.replace(/(?:@\d+)?(?:~\d+)?$/, '');
  const found = LAST.exec(name);
  return found && found.index > 0 ? name.slice(0, found.index) : NO_MODULE;
}

const sum = (nodes: readonly { readonly bytes: number }[]): number =>
  nodes.reduce((total, { bytes }) => total + bytes, 0);

const largestFirst = (nodes: readonly MemoryNode[]): readonly MemoryNode[] =>
  nodes.toSorted((a, b) => b.bytes - a.bytes || a.name.localeCompare(b.name, 'en', { numeric: true }));

const leaf = (above: string, { tensors, bytes }: MemoryEntry, index: number): MemoryNode => ({
  id: `${above}/${index}`,
  name: bufferWords(tensors[0] ?? 'unnamed'),
  bytes,
  tensors: tensors.map(bufferWords),
  children: [],
});

/** `title`: the device's name. */
export const memoryTree = ({ device, entries }: DeviceMemory, title: string): MemoryNode =>
  treeOf(
    entries.filter(({ onHost }) => !onHost),
    `cuda:${device}`,
    title,
  );

/** For CPU offload: the memory that the device's rank keeps on its host. */
export const hostTree = ({ device, entries, hostBytes }: DeviceMemory, title: string): readonly MemoryNode[] =>
  hostBytes === undefined
    ? []
    : [
        treeOf(
          entries.filter(({ onHost }) => onHost),
          `host of cuda:${device}`,
          `${title}, on the host`,
        ),
      ];

function treeOf(entries: readonly MemoryEntry[], root: string, title: string): MemoryNode {
  const categories = MEMORY_CATEGORIES.flatMap((category): MemoryNode[] => {
    const own = entries.filter((entry) => entry.category === category);
    if (own.length === 0) return [];
    const id = `${root}/${category}`;
    const modules = [...groupBy(own, ({ tensors }) => moduleOf(tensors[0] ?? ''))].map(([module, of]): MemoryNode => {
      const path = `${id}/${module}`;
      const children = largestFirst(of.map((entry, i) => leaf(path, entry, i)));
      return { id: path, name: module, bytes: sum(children), tensors: [], children };
    });
    return [{ id, name: CATEGORY_WORDS[category], bytes: sum(modules), tensors: [], children: largestFirst(modules) }];
  });
  return { id: root, name: title, bytes: sum(categories), tensors: [], children: largestFirst(categories) };
}

export interface MemoryRow {
  readonly node: MemoryNode;
  readonly level: number;
  readonly parent: string | undefined;
}

/** The visible rows, in order. */
export function visibleRows(roots: readonly MemoryNode[], open: ReadonlySet<string>): readonly MemoryRow[] {
  const rows: MemoryRow[] = [];
  const add = (node: MemoryNode, level: number, parent: string | undefined): void => {
    rows.push({ node, level, parent });
    if (open.has(node.id)) for (const child of node.children) add(child, level + 1, node.id);
  };
  for (const root of roots) add(root, 1, undefined);
  return rows;
}
