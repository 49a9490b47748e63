/**
 * Whole slices picked along attr `dim` by a vector of indices: torch.index_select, y[o, j, i] = x[o, index[j], i]; and
 * the mechanism of 'embedding/embedding', which is index_select along dim 0. The gradient adds dy, equal indices in
 * order of position: the first launches chain the positions of each index (head, then next), and in the last launch
 * one invocation per element walks the chain. So it needs no atomics, and the order is deterministic.
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

/** Up to this many comparisons of rows with positions, every row scans all positions. */
const SCAN_LIMIT = 131_072;
const BLOCK = 128;

/**
 * How a GPU chains the positions, by shape alone; all forms add in the same order. 'rows': every row scans all
 * positions. 'blocks': chains within blocks of positions, with a table entry per row and block, are linked. 'picks',
 * for tables with many more rows than positions: every position looks for the next one with its index, so that only the
 * launch that fills dx with zeros works per row.
 */
function chainForm(n: number, picks: number): 'rows' | 'blocks' | 'picks' {
  if (n * picks <= SCAN_LIMIT) return 'rows';
  return picks * BLOCK <= n * 4 ? 'picks' : 'blocks';
}

/**
 * Outputs of a gradient with chains: dx, the first position of each index ('picks': the row of each position that is
 * the first of its index), the next position after each position, and the GPU's tables of blocks.
 */
export function chainTypes(shape: Shape, n: number, picks: number): readonly TensorType[] {
  const form = chainForm(n, picks);
  const table: TensorType = { shape: [Math.ceil(picks / BLOCK) * n], dtype: 'i32' };
  return [
    { shape, dtype: 'f32' },
    { shape: [form === 'picks' ? picks : n], dtype: 'i32' },
    { shape: [picks], dtype: 'i32' },
    ...(form === 'blocks' ? [table, table] : []),
  ];
}

function lowerPositions(n: number, picks: number, skip: number, first: number): readonly DenseLaunch[] {
  const skipped = skip < 0 ? n : skip;
  const params = [n, picks, skipped, first];
  const form = chainForm(n, picks);
  if (form === 'picks') {
    return [{ kind: 'dense', kernel: 'shape/chain-picks', bindings: [1, 3, 4], params, workgroups: grid(picks) }];
  }
  if (form === 'rows') {
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
  const positions = lowerPositions(n, picks, skip, first);
  if (chainForm(n, picks) === 'picks') {
    const all = (outer * n * inner) / (four ? 4 : 1);
    const fill = four ? 'shape/fill-vec4' : 'shape/fill';
    return [
      { kind: 'dense', kernel: fill, bindings: [2], params: [all, 0], workgroups: grid(all) },
      ...positions,
      {
        kind: 'dense',
        kernel: four ? 'shape/add-picks-vec4' : 'shape/add-picks',
        bindings: [0, 3, 4, 2],
        params: [outer, n, inner, picks],
        workgroups: grid((outer * picks * inner) / (four ? 4 : 1)),
      },
    ];
  }
  return [
    ...positions,
    {
      kind: 'dense',
      kernel: four ? 'shape/add-chains-vec4' : 'shape/add-chains',
      bindings: [0, 3, 4, 2],
      params: [outer, n, inner, picks],
      workgroups: grid((outer * n * inner) / (four ? 4 : 1)),
    },
  ];
}

/** Fills the chains of a table of n rows as the kernel does. */
export function cpuPositions(
  index: HostArray,
  [head, next]: readonly [HostArray, HostArray],
  { skip, first }: Chains,
  n: number,
): void {
  if (chainForm(n, index.length) === 'picks') {
    const later = new Map<number, number>();
    for (let j = index.length - 1; j >= 0; j--) {
      const k = (index[j] as number) - first;
      const inside = k >= 0 && k < n;
      const after = inside ? later.get(k) : undefined;
      next[j] = after ?? -1;
      head[j] = inside && k !== skip ? k : -1;
      if (after !== undefined) head[after] = -1;
      later.set(k, j);
    }
    return;
  }
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
  cpuPositions(index, [head, next], chains, n);
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
