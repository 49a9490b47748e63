/**
 * The conv operators under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type Maker, type OpCase, reals } from '../case-tools';
import type { Recipe, RecipeContext, TorchCase } from '../recipe';
import { arg, type Doubles, el, type Formula, range, total } from '../reference-tools';

/** Not more than `most`, and not less than 1: property tests difference every element. */
const small = (n: number, most: number): number => 1 + ((n - 1) % most);

const conv =
  (op: string, attrs: Attrs, x: Shape, w: Shape, bias: boolean) =>
  (random: () => number): OpCase => ({
    op,
    attrs,
    inputs: [
      reals(x, random),
      reals(w, random),
      ...(bias ? [reals([w[op === 'conv/conv-transpose2d' ? 1 : 0] ?? 0], random)] : []),
    ],
  });

/** Distinct values, so that no maximum is a tie and none changes when one value moves a little. */
const distinct = (shape: Shape, random: () => number) => {
  const input = reals(shape, random);
  const order = range(elements(shape)).map((i) => ({ i, key: random() }));
  order.sort((a, b) => a.key - b.key);
  order.forEach(({ i }, k) => {
    input.data[i] = (k - order.length / 2) / 16;
  });
  return input;
};

const maxPool =
  (attrs: Attrs): Maker =>
  ([a, b, c], random) => ({
    op: 'conv/max-pool2d',
    attrs,
    inputs: [distinct([small(c, 2), small(a, 2), 3 + small(a, 4), 3 + small(b, 5)], random)],
  });

const average =
  (op: string, attrs: Attrs): Maker =>
  ([a, b, c], random) => ({
    op,
    attrs,
    inputs: [reals([small(c, 2), small(a, 2), 3 + small(a, 4), 3 + small(b, 5)], random)],
  });

const CONVOLUTIONS: Readonly<Record<string, Maker>> = {
  conv2d: ([a, b, c], random) =>
    conv(
      'conv/conv2d',
      { padding: 1 },
      [small(c, 2), small(b, 3), small(a, 4), small(b, 5)],
      [small(c, 11), small(b, 3), 3, 3],
      true,
    )(random),
  'conv2d, 3 x 3 in tiles': ([a, b, c], random) =>
    conv(
      'conv/conv2d',
      { padding: [1, 0], groups: small(b, 2) },
      [small(a, 2), 2 * small(b, 2), 5 + small(c, 4), 3 + small(a, 3)],
      [small(b, 2) * small(c, 9), 2, 3, 3],
      true,
    )(random),
  'conv2d, stride, dilation and unequal padding': ([a, b, c], random) =>
    conv(
      'conv/conv2d',
      { stride: [2, 1], padding: [1, 2], dilation: [1, 2] },
      [1, small(c, 3), 2 + small(a, 5), 1 + small(b, 5)],
      [small(b, 3), small(c, 3), 3, 2],
      false,
    )(random),
  'conv2d, groups': ([a, b, c], random) =>
    conv(
      'conv/conv2d',
      { groups: 2, stride: [1, 2], padding: 1 },
      [2, 2 * small(b, 2), small(a, 4), small(c, 5)],
      [2 * small(c, 3), small(b, 2), 2, 3],
      true,
    )(random),
  'conv2d, depthwise': ([a, b, c], random) =>
    conv(
      'conv/conv2d',
      { groups: small(c, 3), padding: 'same' },
      [2, small(c, 3), small(a, 5), small(b, 5)],
      [small(c, 3), 1, 3, 2],
      true,
    )(random),
  'conv2d, 1 x 1 without a batch': ([a, b, c], random) =>
    conv('conv/conv2d', {}, [small(a, 5), small(b, 3), 3], [small(c, 9), small(a, 5), 1, 1], true)(random),
  'conv2d, padding wider than the kernel reaches': ([a, b], random) =>
    conv('conv/conv2d', { padding: 3 }, [1, 1, small(a, 3), small(b, 3)], [2, 1, 2, 2], true)(random),
  conv1d: ([a, b, c], random) =>
    conv(
      'conv/conv1d',
      { stride: 2, padding: 1 },
      [small(c, 3), small(b, 4), 1 + a],
      [small(a, 5), small(b, 4), 3],
      true,
    )(random),
  'conv1d, dilated': ([a, b, c], random) =>
    conv(
      'conv/conv1d',
      { dilation: 2, padding: 'same' },
      [2, small(b, 3), a],
      [small(c, 9), small(b, 3), 4],
      false,
    )(random),
  'conv-transpose2d': ([a, b, c], random) =>
    conv(
      'conv/conv-transpose2d',
      { stride: 2, padding: 1, outputPadding: 1 },
      [small(c, 2), small(b, 3), small(a, 3), small(b, 4)],
      [small(b, 3), small(c, 5), 3, 3],
      true,
    )(random),
  'conv-transpose2d, stride 1': ([a, b, c], random) =>
    conv(
      'conv/conv-transpose2d',
      { dilation: [1, 2] },
      [1, small(b, 3), small(a, 4), small(b, 4)],
      [small(b, 3), small(c, 9), 3, 2],
      true,
    )(random),
  'conv-transpose2d, groups': ([a, b, c], random) => {
    const made = conv(
      'conv/conv-transpose2d',
      { groups: 2, stride: [3, 2], outputPadding: [2, 0] },
      [2, 2 * small(b, 2), small(a, 3), small(c, 3)],
      [2 * small(b, 2), small(c, 3), 2, 2],
      false,
    )(random);
    return { ...made, inputs: [...made.inputs, reals([2 * small(c, 3)], random)] };
  },
};

export const CONV_CASES: Readonly<Record<string, Maker>> = {
  ...CONVOLUTIONS,
  'max-pool2d': maxPool({ kernelSize: 2 }),
  'max-pool2d, long rows': ([a, b], random) => ({
    op: 'conv/max-pool2d',
    attrs: { kernelSize: 2 },
    inputs: [distinct([1, 1, 1 + small(a, 2), 33 + small(b, 2)], random)],
  }),
  'max-pool2d, overlapping': maxPool({ kernelSize: 3, stride: [1, 2], padding: 1 }),
  'max-pool2d, ceil mode, gaps': maxPool({ kernelSize: [2, 1], stride: 3, ceilMode: true }),
  'avg-pool2d': average('conv/avg-pool2d', { kernelSize: 2 }),
  'avg-pool2d, overlapping, padded': average('conv/avg-pool2d', { kernelSize: 3, stride: 2, padding: 1 }),
  'avg-pool2d, padding not counted, ceil mode': average('conv/avg-pool2d', {
    kernelSize: [3, 2],
    stride: 2,
    padding: [1, 0],
    ceilMode: true,
    countIncludePad: false,
  }),
  'avg-pool2d, padding counted, ceil mode': average('conv/avg-pool2d', {
    kernelSize: 3,
    stride: [3, 2],
    padding: 1,
    ceilMode: true,
  }),
  'adaptive-avg-pool2d': average('conv/adaptive-avg-pool2d', { outputSize: [2, 3] }),
  'adaptive-avg-pool2d, larger than the image': average('conv/adaptive-avg-pool2d', { outputSize: [5, 9] }),
};

/** Attr as [y, x]; in one dimension y is neutral. */
const two = (attrs: Attrs, name: string, fallback: number, rank = 2): readonly [number, number] => {
  const v = attrs[name] ?? fallback;
  const list = Array.isArray(v) ? (v as number[]) : range(rank).map(() => Number(v));
  return rank === 1 ? [fallback, el(list, 0)] : [el(list, 0), el(list, 1)];
};

/** Value of x [N, C, H, W] at a place, 0 outside. */
const pixel =
  (x: Doubles, height: number, width: number) =>
  (plane: number, i: number, j: number): number =>
    i < 0 || j < 0 || i >= height || j >= width ? 0 : el(x.data, (plane * height + i) * width + j);

/** [N, C, H, W] of a tensor with `rank` spatial dimensions, batched or not. */
const image = (shape: Shape, rank: number): readonly [number, number, number, number] => {
  const [n, c, ...sizes] = shape.length === rank + 2 ? shape : [1, ...shape];
  return rank === 1 ? [n ?? 0, c ?? 0, 1, el(sizes, 0)] : [n ?? 0, c ?? 0, el(sizes, 0), el(sizes, 1)];
};

const convolve =
  (rank: number): Formula =>
  (inputs, attrs) => {
    const [x, w] = [arg(inputs, 0), arg(inputs, 1)];
    const [N, , H, W] = image(x.shape, rank);
    const [O, C, KH, KW] = image(w.shape, rank);
    const groups = Number(attrs.groups ?? 1);
    const [sy, sx] = two(attrs, 'stride', 1, rank);
    const [dy, dx] = two(attrs, 'dilation', 1, rank);
    const same = attrs.padding === 'same';
    const [py, px] = same
      ? [Math.floor((dy * (KH - 1)) / 2), Math.floor((dx * (KW - 1)) / 2)]
      : two(attrs, 'padding', 0, rank);
    const OH = same ? H : Math.floor((H + 2 * py - dy * (KH - 1) - 1) / sy) + 1;
    const OW = same ? W : Math.floor((W + 2 * px - dx * (KW - 1) - 1) / sx) + 1;
    const at = pixel(x, H, W);
    return range(N * O * OH * OW).map((e) => {
      const [j, i, o, n] = [e % OW, Math.floor(e / OW) % OH, Math.floor(e / OW / OH) % O, Math.floor(e / OW / OH / O)];
      const group = Math.floor(o / (O / groups));
      const terms = range(C * KH * KW).map((k) => {
        const [kx, ky, c] = [k % KW, Math.floor(k / KW) % KH, Math.floor(k / KW / KH)];
        return (
          el(w.data, o * C * KH * KW + k) *
          at((n * groups + group) * C + c, i * sy + ky * dy - py, j * sx + kx * dx - px)
        );
      });
      return total(terms) + (inputs[2]?.data[o] ?? 0);
    });
  };

const averages =
  (spans: (attrs: Attrs, size: number, d: 0 | 1) => readonly { from: number; to: number; count: number }[]): Formula =>
  (inputs, attrs) => {
    const x = arg(inputs, 0);
    const [H = 0, W = 0] = x.shape.slice(-2);
    const at = pixel(x, H, W);
    return range(x.data.length / H / W).flatMap((plane) =>
      spans(attrs, H, 0).flatMap((r) =>
        spans(attrs, W, 1).map((c) => {
          const terms = range(r.to - r.from).flatMap((i) =>
            range(c.to - c.from).map((j) => at(plane, r.from + i, c.from + j)),
          );
          return total(terms) / (r.count * c.count);
        }),
      ),
    );
  };

/**
 * Windows of one dimension: those that start before the end of the image, and without ceilMode end inside the padded
 * image.
 */
function windows(attrs: Attrs, size: number, d: 0 | 1) {
  const kernel = two(attrs, 'kernelSize', 1)[d];
  const stride = attrs.stride === undefined ? kernel : two(attrs, 'stride', 1)[d];
  const pad = two(attrs, 'padding', 0)[d];
  const starts = range(size + pad)
    .map((i) => i * stride - pad)
    .filter((start, i) =>
      attrs.ceilMode === true
        ? start < size && (i === 0 || start - stride + kernel < size + pad)
        : start + kernel <= size + pad,
    );
  return starts.map((start) => {
    const end = Math.min(start + kernel, size + pad);
    const [from, to] = [Math.max(0, start), Math.min(end, size)];
    return { from, to, count: attrs.countIncludePad === false ? to - from : end - start };
  });
}

export const CONV_REFERENCE: Readonly<Record<string, Formula>> = {
  'conv/conv2d': convolve(2),
  'conv/conv1d': convolve(1),
  'conv/conv-transpose2d'(inputs, attrs) {
    const [x, w] = [arg(inputs, 0), arg(inputs, 1)];
    const [N, I, H, W] = image(x.shape, 2);
    const [, O, KH, KW] = image(w.shape, 2);
    const groups = Number(attrs.groups ?? 1);
    const [sy, sx] = two(attrs, 'stride', 1);
    const [py, px] = two(attrs, 'padding', 0);
    const [dy, dx] = two(attrs, 'dilation', 1);
    const [ey, ex] = two(attrs, 'outputPadding', 0);
    const OH = (H - 1) * sy - 2 * py + dy * (KH - 1) + ey + 1;
    const OW = (W - 1) * sx - 2 * px + dx * (KW - 1) + ex + 1;
    const plane = OH * OW;
    const y = range(N * groups * O * plane).map((e) => inputs[2]?.data[Math.floor(e / plane) % (groups * O)] ?? 0);
    x.data.forEach((v, e) => {
      const [j, i, c, n] = [e % W, Math.floor(e / W) % H, Math.floor(e / W / H) % I, Math.floor(e / W / H / I)];
      const group = Math.floor(c / (I / groups));
      for (const k of range(O * KH * KW)) {
        const [kx, ky, o] = [k % KW, Math.floor(k / KW) % KH, Math.floor(k / KW / KH)];
        const [row, column] = [i * sy + ky * dy - py, j * sx + kx * dx - px];
        if (row < 0 || column < 0 || row >= OH || column >= OW) continue;
        const at = ((n * groups + group) * O + o) * plane + row * OW + column;
        y[at] = el(y, at) + v * el(w.data, c * O * KH * KW + k);
      }
    });
    return y;
  },
  'conv/max-pool2d'(inputs, attrs) {
    const x = arg(inputs, 0);
    const [H = 0, W = 0] = x.shape.slice(-2);
    const at = pixel(x, H, W);
    return range(x.data.length / H / W).flatMap((plane) =>
      windows(attrs, H, 0).flatMap((r) =>
        windows(attrs, W, 1).map((c) =>
          Math.max(
            ...range(r.to - r.from).flatMap((i) => range(c.to - c.from).map((j) => at(plane, r.from + i, c.from + j))),
          ),
        ),
      ),
    );
  },
  'conv/avg-pool2d': averages(windows),
  'conv/adaptive-avg-pool2d': averages((attrs, size, d) => {
    const out = two(attrs, 'outputSize', 1)[d];
    return range(out).map((i) => {
      const [from, to] = [Math.floor((i * size) / out), Math.ceil(((i + 1) * size) / out)];
      return { from, to, count: to - from };
    });
  }),
};

/** torch's arguments by our names. */
const NAMES: Readonly<Record<string, string>> = {
  kernel: 'kernelSize',
  output: 'outputSize',
  output_padding: 'outputPadding',
  ceil_mode: 'ceilMode',
  count_include_pad: 'countIncludePad',
};
const attrsOf = ({ attrs }: TorchCase): Attrs =>
  Object.fromEntries(
    Object.entries(attrs)
      .filter(([name]) => name !== 'note')
      .map(([name, value]) => [NAMES[name] ?? name, value as number]),
  );
const recipe =
  (op: string): Recipe =>
  (c: RecipeContext) =>
    c.apply(op, Object.keys(c.case.inputs).map(c.input), attrsOf(c.case));

export const CONV_RECIPES: Readonly<Record<string, Recipe>> = {
  conv2d: recipe('conv/conv2d'),
  conv1d: recipe('conv/conv1d'),
  conv_transpose2d: recipe('conv/conv-transpose2d'),
  max_pool2d: recipe('conv/max-pool2d'),
  avg_pool2d: recipe('conv/avg-pool2d'),
  adaptive_avg_pool2d: recipe('conv/adaptive-avg-pool2d'),
};
