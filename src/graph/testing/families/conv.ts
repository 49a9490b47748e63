/**
 * The convolutions under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import type { Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type Maker, type OpCase, reals } from '../case-tools';
import type { Recipe } from '../recipe';
import { arg, el, type Formula, range, total } from '../reference-tools';
import { pixel, recipe, small, two } from './image-tools';

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

export const CONV_CASES: Readonly<Record<string, Maker>> = {
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
};

export const CONV_RECIPES: Readonly<Record<string, Recipe>> = {
  conv2d: recipe('conv/conv2d'),
  conv1d: recipe('conv/conv1d'),
  conv_transpose2d: recipe('conv/conv-transpose2d'),
};
