/**
 * The shape operators under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type CaseInput, type Maker, reals, small } from '../case-tools';
import { direct, type Recipe } from '../recipe';
import { arg, type Doubles, el, type Formula, range } from '../reference-tools';

const one =
  (op: string, attrs: Attrs): Maker =>
  ([a, b, c], random) => ({ op, attrs, inputs: [reals([a, b, c], random)] });

function indices(shape: Shape, below: number, random: () => number): CaseInput {
  const data = Int32Array.from({ length: elements(shape) }, () => Math.floor(random() * below));
  return { type: { shape, dtype: 'i32' }, data, wrt: false };
}

/** x, an index of `picks` entries along dim with x's other sizes, and where wanted a src of the same sizes. */
const picking =
  (op: string, dim: number, picks: number, withSource: boolean): Maker =>
  ([a, b, c], random) => {
    const x = reals([a, b, c], random);
    const sizes = x.type.shape.with(dim, picks);
    const index = indices(sizes, at(x.type.shape, dim), random);
    return { op, attrs: { dim }, inputs: withSource ? [x, index, reals(sizes, random)] : [x, index] };
  };

const selecting =
  (dim: number, picks: number): Maker =>
  ([a, b, c], random) => {
    const x = reals([a, b, c], random);
    return { op: 'shape/index-select', attrs: { dim }, inputs: [x, indices([picks], at(x.type.shape, dim), random)] };
  };

export const SHAPE_CASES = small({
  transpose: one('shape/transpose', { dim0: 0, dim1: 2 }),
  'transpose of the last two': one('shape/transpose', { dim0: -1, dim1: -2 }),
  permute: one('shape/permute', { dims: [2, 0, -2] }),
  'permute of four': ([a, b, c], random) => ({
    op: 'shape/permute',
    attrs: { dims: [0, 2, 1, 3] },
    inputs: [reals([a, b, c, 4], random)],
  }),
  reshape: ([a, b, c], random) => ({
    op: 'shape/reshape',
    attrs: { shape: [c, -1] },
    inputs: [reals([a, b, c], random)],
  }),
  flatten: one('shape/flatten', { startDim: 1 }),
  cat: ([a, b, c], random) => ({
    op: 'shape/cat',
    attrs: { dim: 1 },
    inputs: [reals([a, b, c], random), reals([a, 4, c], random), reals([a, 1, c], random)],
  }),
  'cat along dim 0': ([a, b, c], random) => ({
    op: 'shape/cat',
    attrs: { dim: 0 },
    inputs: [reals([a, c], random), reals([b, c], random)],
  }),
  stack: ([a, b], random) => ({
    op: 'shape/stack',
    attrs: { dim: -1 },
    inputs: [reals([a, b], random), reals([a, b], random), reals([a, b], random)],
  }),
  slice: ([a, b, c], random) => ({
    op: 'shape/slice',
    attrs: { start: [1, 0, -c - 3], end: [a + 9, b + 1, c + 4], step: [1, 2, 3] },
    inputs: [reals([a + 2, b + 1, c + 4], random)],
  }),
  'slice along dim -1': ([a, b, c], random) => ({
    op: 'shape/slice',
    attrs: { dim: -1, start: 1 },
    inputs: [reals([a, b, c + 1], random)],
  }),
  chunk: ([a, b, c], random) => ({
    op: 'shape/chunk',
    attrs: { chunks: 3, dim: 1 },
    inputs: [reals([a, b + 2, c], random)],
  }),
  expand: ([a, b, c], random) => ({
    op: 'shape/expand',
    attrs: { size: [a, -1, b, c] },
    inputs: [reals([2, 1, c], random)],
  }),
  pad: one('shape/pad', { pad: [1, 2, 0, 3], value: 0.5 }),
  gather: picking('shape/gather', 1, 5, false),
  'gather along dim 0': picking('shape/gather', 0, 3, false),
  // No place twice: torch gives the gradient of src at all of them, which no difference confirms.
  scatter: ([a, b, c], random) => {
    const picks = Math.ceil(b / 2);
    const data = Int32Array.from({ length: a * picks * c }, (_, i) => (((i / c) | 0) % picks) * 2);
    const index: CaseInput = { type: { shape: [a, picks, c], dtype: 'i32' }, data, wrt: false };
    return {
      op: 'shape/scatter',
      attrs: { dim: 1 },
      inputs: [reals([a, b, c], random), index, reals([a, picks, c], random)],
    };
  },
  'scatter-add': picking('shape/scatter-add', 1, 7, true),
  'scatter-add along dim -1': picking('shape/scatter-add', 2, 5, true),
  'index-select': selecting(0, 7),
  'index-select along dim 1': selecting(1, 4),
  'index-select along dim 2': selecting(2, 9),
});

const coordinates = (shape: Shape, i: number): number[] => {
  let rest = i;
  return shape
    .toReversed()
    .map((size) => {
      const c = rest % size;
      rest = Math.floor(rest / size);
      return c;
    })
    .reverse();
};

const valueAt = ({ shape, data }: Doubles, c: readonly number[]): number =>
  el(
    data,
    c.reduce((i, v, d) => i * el(shape, d) + v, 0),
  );

/** y of `shape` with y[c] = f(c), by plain multi-indices. */
const build = (shape: Shape, f: (c: readonly number[]) => number): number[] =>
  range(elements(shape)).map((i) => f(coordinates(shape, i)));

const list = (attrs: Attrs, name: string): readonly number[] => (attrs[name] ?? []) as readonly number[];

const sliced: Formula = (inputs, attrs) => {
  const x = arg(inputs, 0);
  const dim = typeof attrs.dim === 'number' ? (attrs.dim + x.shape.length) % x.shape.length : undefined;
  const picked = x.shape.map((size, d) => {
    if (dim !== undefined)
      return d === dim ? range(size).slice(Number(attrs.start ?? 0), attrs.end as number) : range(size);
    const [start, end, step] = ['start', 'end', 'step'].map((name) => list(attrs, name)[d]);
    return range(size)
      .slice(start, end)
      .filter((_, i) => i % (step ?? 1) === 0);
  });
  return build(
    picked.map((p) => p.length),
    (c) =>
      valueAt(
        x,
        c.map((v, d) => el(at(picked, d), v)),
      ),
  );
};

const joined = (inputs: readonly Doubles[], dim: number): number[] => {
  const sizes = inputs.map((t) => el(t.shape, dim));
  const shape = arg(inputs, 0).shape.with(
    dim,
    sizes.reduce((a, b) => a + b, 0),
  );
  return build(shape, (c) => {
    let k = 0;
    let position = el(c, dim);
    while (position >= el(sizes, k)) position -= el(sizes, k++);
    return valueAt(arg(inputs, k), c.with(dim, position));
  });
};

/** f(c, to) for every coordinate c of the index in order; `to` is c with the index's value along dim. */
function eachPick(
  x: Doubles,
  index: Doubles,
  attrs: Attrs,
  f: (c: readonly number[], to: readonly number[], i: number) => void,
): void {
  const dim = (Number(attrs.dim) + x.shape.length) % x.shape.length;
  index.data.forEach((k, i) => {
    const c = coordinates(index.shape, i);
    f(c, c.with(dim, k), i);
  });
}

const scattered =
  (write: (old: number, v: number) => number): Formula =>
  (inputs, attrs) => {
    const [x, index, src] = [arg(inputs, 0), arg(inputs, 1), arg(inputs, 2)];
    const y = [...x.data];
    eachPick(x, index, attrs, (_, to, i) => {
      const j = to.reduce((sum, v, d) => sum * el(x.shape, d) + v, 0);
      y[j] = write(el(y, j), el(src.data, i));
    });
    return y;
  };

export const SHAPE_REFERENCE: Readonly<Record<string, Formula>> = {
  'shape/transpose'(inputs, attrs) {
    const x = arg(inputs, 0);
    const [a, b] = [attrs.dim0, attrs.dim1].map((dim) => (Number(dim) + x.shape.length) % x.shape.length) as [
      number,
      number,
    ];
    const swap = (v: readonly number[]) => v.with(a, el(v, b)).with(b, el(v, a));
    return build(swap(x.shape), (c) => valueAt(x, swap(c)));
  },
  'shape/permute'(inputs, attrs) {
    const x = arg(inputs, 0);
    const dims = list(attrs, 'dims').map((dim) => (dim + x.shape.length) % x.shape.length);
    return build(
      dims.map((d) => el(x.shape, d)),
      (c) =>
        valueAt(
          x,
          x.shape.map((_, d) => el(c, dims.indexOf(d))),
        ),
    );
  },
  'shape/reshape': (inputs) => [...arg(inputs, 0).data],
  'shape/flatten': (inputs) => [...arg(inputs, 0).data],
  'shape/cat': (inputs, attrs) => joined(inputs, Number(attrs.dim)),
  'shape/stack'(inputs, attrs) {
    const { shape } = arg(inputs, 0);
    const dim = Number(attrs.dim) + shape.length + 1;
    return joined(
      inputs.map(({ data }) => ({ data, shape: shape.toSpliced(dim, 0, 1) })),
      dim,
    );
  },
  'shape/slice': sliced,
  // The first output: the first ceil(size / chunks) along dim.
  'shape/chunk'(inputs, attrs) {
    const [dim, chunks] = [Number(attrs.dim), Number(attrs.chunks)];
    return sliced(inputs, { dim, start: 0, end: Math.ceil(el(arg(inputs, 0).shape, dim) / chunks) });
  },
  'shape/expand'(inputs, attrs) {
    const x = arg(inputs, 0);
    const size = list(attrs, 'size');
    const added = size.length - x.shape.length;
    const shape = size.map((v, d) => (v === -1 ? el(x.shape, d - added) : v));
    return build(shape, (c) =>
      valueAt(
        x,
        x.shape.map((n, d) => (n === 1 ? 0 : el(c, d + added))),
      ),
    );
  },
  'shape/pad'(inputs, attrs) {
    const x = arg(inputs, 0);
    const pad = list(attrs, 'pad');
    const side = (d: number, k: number) => pad[2 * (x.shape.length - 1 - d) + k] ?? 0;
    return build(
      x.shape.map((n, d) => n + side(d, 0) + side(d, 1)),
      (c) => {
        const inside = c.map((v, d) => v - side(d, 0));
        const within = inside.every((v, d) => v >= 0 && v < el(x.shape, d));
        return within ? valueAt(x, inside) : Number(attrs.value);
      },
    );
  },
  'shape/gather'(inputs, attrs) {
    const y: number[] = [];
    eachPick(arg(inputs, 0), arg(inputs, 1), attrs, (_, to) => y.push(valueAt(arg(inputs, 0), to)));
    return y;
  },
  'shape/scatter': scattered((_, v) => v),
  'shape/scatter-add': scattered((old, v) => old + v),
  'shape/index-select'(inputs, attrs) {
    const [x, index] = [arg(inputs, 0), arg(inputs, 1)];
    const dim = Number(attrs.dim);
    return build(x.shape.with(dim, index.data.length), (c) => valueAt(x, c.with(dim, el(index.data, el(c, dim)))));
  },
};

export const SHAPE_RECIPES: Readonly<Record<string, Recipe>> = {
  transpose: direct('shape/transpose', (c) => {
    const [dim0 = 0, dim1 = 0] = c.attrs.dims as number[];
    return { dim0, dim1 };
  }),
  permute: direct('shape/permute', (c) => ({ dims: c.attrs.dims as number[] })),
  reshape: (c) =>
    c.apply('shape/reshape', [c.apply('shape/transpose', [c.input('x')], { dim0: 0, dim1: 1 })], { shape: [6, 4] }),
  flatten: direct('shape/flatten', (c) => ({ startDim: Number(c.attrs.start_dim) })),
  cat: direct('shape/cat', (c) => ({ dim: Number(c.attrs.dim) })),
  stack: direct('shape/stack', (c) => ({ dim: Number(c.attrs.dim) })),
  // x[1:4, ::2], as the case notes.
  slice: direct('shape/slice', () => ({ start: [1, 0], end: [4, 6], step: [1, 2] })),
  // x.chunk(3)[1], as the case notes.
  chunk0: (c) => {
    const where = { module: '0', phase: 'forward', names: ['y0', 'y1', 'y2'] } as const;
    return at(c.builder.apply('shape/chunk', [c.input('x')], { chunks: 3, dim: 0 }, where), 1);
  },
  expand: direct('shape/expand', (c) => ({ size: c.attrs.size as number[] })),
  pad: direct('shape/pad', (c) => ({ pad: c.attrs.pad as number[], value: Number(c.attrs.value) })),
  gather: direct('shape/gather', (c) => ({ dim: Number(c.attrs.dim) })),
  scatter: direct('shape/scatter', (c) => ({ dim: Number(c.attrs.dim) })),
  scatter_add: direct('shape/scatter-add', (c) => ({ dim: Number(c.attrs.dim) })),
  index_select: direct('shape/index-select', (c) => ({ dim: Number(c.attrs.dim) })),
};
