/**
 * Whole slices picked along attr `dim` by a vector of indices: torch.index_select, y[o, j, i] = x[o, index[j], i]; and
 * the mechanism of 'embedding/embedding', which is index_select along dim 0. The gradient adds dy, equal indices in
 * order of position: the first launches chain the positions of each index (head, then next), and in the last launch
 * every element of dx walks its chain. So it needs no atomics, and the order is deterministic.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type HostArray, type Shape } from '../../../tensor/shape';
import { dimOf, type Extent, extentAlong } from '../../dims';
import { grid } from '../../launch';
import type { Attrs, DenseLaunch, OpDef, TensorType } from '../../op';

/**
 * The rows of a table from `first` on. Other ranks have the other rows; indices count from the start of the whole
 * table.
 */
export interface TablePart {
  readonly first: number;
}

/**
 * The kernel that picks: operands x, index and y. With a part of a table, rows outside the part are picked as zeros.
 */
export function lowerPick(
  { outer, n, inner }: Extent,
  picks: number,
  operands: readonly number[],
  part?: TablePart,
): DenseLaunch {
  const four = inner % 4 === 0;
  return {
    kind: 'dense',
    kernel: four ? 'shape/index-select-vec4' : 'shape/index-select',
    ...(part ? { constants: { PART: 1 } } : {}),
    bindings: operands,
    params: [outer, n, inner, picks, part?.first ?? 0],
    workgroups: grid((outer * picks * inner) / (four ? 4 : 1)),
  };
}

export function cpuPick(
  [x, index, y]: readonly [HostArray, HostArray, HostArray],
  { outer, n, inner }: Extent,
  outside: Fault | TablePart,
): void {
  const first = typeof outside === 'function' ? 0 : outside.first;
  for (let o = 0, to = 0; o < outer; o++) {
    for (let j = 0; j < index.length; j++, to += inner) {
      const k = (index[j] as number) - first;
      if (!(k >= 0 && k < n)) {
        if (typeof outside === 'function') throw outside(k);
        y.fill(0, to, to + inner);
        continue;
      }
      const from = (o * n + k) * inner;
      if (inner > 32) y.set(x.subarray(from, from + inner), to);
      else for (let i = 0; i < inner; i++) y[to + i] = x[from + i] as number;
    }
  }
}
type Fault = (index: number) => LockstepError;

/**
 * Up to this many comparisons, every index scans all positions; beyond, chains are built block by block and then
 * linked.
 */
const SCAN_LIMIT = 131_072;
const BLOCK = 128;

/**
 * Outputs of a gradient with chains: dx, the first position of each index, the next position after each position, and
 * the GPU's tables of blocks.
 */
export function chainTypes(shape: Shape, n: number, picks: number): readonly TensorType[] {
  const table: TensorType = { shape: [Math.ceil(picks / BLOCK) * n], dtype: 'i32' };
  return [
    { shape, dtype: 'f32' },
    { shape: [n], dtype: 'i32' },
    { shape: [picks], dtype: 'i32' },
    ...(n * picks > SCAN_LIMIT ? [table, table] : []),
  ];
}

function lowerPositions(n: number, picks: number, skip: number, first: number): readonly DenseLaunch[] {
  const skipped = skip < 0 ? n : skip;
  if (n * picks <= SCAN_LIMIT) {
    const params = [n, picks, skipped, first];
    return [{ kind: 'dense', kernel: 'shape/chain-positions', bindings: [1, 3, 4], params, workgroups: grid(n) }];
  }
  const blocks = Math.ceil(picks / BLOCK);
  const cells = blocks * n;
  return [
    { kind: 'dense', kernel: 'shape/fill', bindings: [5], params: [cells, 0xffffffff], workgroups: grid(cells) },
    {
      kind: 'dense',
      kernel: 'shape/chain-blocks',
      bindings: [1, 5, 6, 4],
      params: [n, picks, BLOCK, first],
      workgroups: grid(blocks),
    },
    {
      kind: 'dense',
      kernel: 'shape/chain-link',
      bindings: [5, 6, 3, 4],
      params: [n, blocks, skipped],
      workgroups: grid(n),
    },
  ];
}

export interface Chains {
  /** A row without gradient, or -1. */
  readonly skip: number;
  /** The number that is subtracted from the indices (TablePart). */
  readonly first: number;
}

/** Operands: dy, index; then the outputs of `chainTypes`. */
export function lowerChains(
  { outer, n, inner }: Extent,
  picks: number,
  { skip, first }: Chains,
): readonly DenseLaunch[] {
  const four = inner % 4 === 0;
  return [
    ...lowerPositions(n, picks, skip, first),
    {
      kind: 'dense',
      kernel: four ? 'shape/add-chains-vec4' : 'shape/add-chains',
      bindings: [0, 3, 4, 2],
      params: [outer, n, inner, picks],
      workgroups: grid((outer * n * inner) / (four ? 4 : 1)),
    },
  ];
}

/** Fills head and next as the kernel does. */
export function cpuPositions(
  index: HostArray,
  [head, next]: readonly [HostArray, HostArray],
  { skip, first }: Chains,
): void {
  head.fill(-1);
  for (let j = index.length - 1; j >= 0; j--) {
    const k = (index[j] as number) - first;
    next[j] = head[k] ?? -1;
    head[k] = j;
  }
  if (skip >= 0) head[skip] = -1;
}

/** Fills head and next, and adds each slice of dy at its index. */
export function cpuChains(
  [dy, index]: readonly [HostArray, HostArray],
  [dx, head, next]: readonly [HostArray, HostArray, HostArray],
  { outer, n, inner }: Extent,
  chains: Chains,
): void {
  const { skip, first } = chains;
  const picks = index.length;
  cpuPositions(index, [head, next], chains);
  dx.fill(0);
  for (let o = 0, from = 0; o < outer; o++) {
    for (let j = 0; j < picks; j++, from += inner) {
      const k = (index[j] as number) - first;
      if (k === skip || !(k >= 0 && k < n)) continue;
      const to = (o * n + k) * inner;
      for (let i = 0; i < inner; i++) dx[to + i] = (dx[to + i] as number) + (dy[from + i] as number);
    }
  }
}

const ALL: Chains = { skip: -1, first: 0 };

const along = (shape: Shape, attrs: Attrs) => extentAlong(shape, dimOf(attrs, shape.length));

export const indexSelect: OpDef = {
  name: 'shape/index-select',
  infer(inputs, attrs) {
    const { shape } = at(inputs, 0);
    const index = at(inputs, 1).shape;
    if (index.length !== 1) throw new LockstepError('shape', 'index_select(): Index is supposed to be a vector');
    return [{ shape: shape.with(dimOf(attrs, shape.length), at(index, 0)), dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [];
    const { shape } = at(c.types.inputs, 0);
    return c.emit('shape/index-select-grad', [dy, c.input(1)], { shape, dim: dimOf(c.types.attrs, shape.length) }, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { shape } = at(inputTypes, 0);
    const extent = along(shape, attrs);
    cpuPick([at(inputs, 0), at(inputs, 1), at(outputs, 0)], extent, (k) => {
      const bounds = `id=${k} axis_dim=${extent.n}`;
      return new LockstepError('shape', `INDICES element is out of DATA bounds, ${bounds}`);
    });
  },
  lower: ({ inputs, attrs }) => [
    lowerPick(along(at(inputs, 0).shape, attrs), elements(at(inputs, 1).shape), [0, 1, 2]),
  ],
  flops: () => 0,
};

/** Inputs dy and index; outputs dx of attr `shape`, and the chains. */
export const indexSelectGrad: OpDef = {
  name: 'shape/index-select-grad',
  infer(inputs, attrs) {
    const shape = attrs.shape as Shape;
    return chainTypes(shape, along(shape, attrs).n, elements(at(inputs, 1).shape));
  },
  cpu({ inputs, outputs, attrs }) {
    const chains = [at(outputs, 0), at(outputs, 1), at(outputs, 2)] as const;
    cpuChains([at(inputs, 0), at(inputs, 1)], chains, along(attrs.shape as Shape, attrs), ALL);
  },
  lower: ({ inputs, attrs }) => lowerChains(along(attrs.shape as Shape, attrs), elements(at(inputs, 1).shape), ALL),
  flops: (types) => elements(at(types.inputs, 0).shape),
};
