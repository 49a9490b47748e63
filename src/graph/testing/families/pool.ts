/**
 * The poolings under test: cases of random inputs, formulas in double precision, and how each torch operator of
 * fixtures/ops.json is said here.
 */
import { elements, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { type Maker, reals } from '../case-tools';
import type { Recipe } from '../recipe';
import { arg, type Formula, range, total } from '../reference-tools';

import { pixel, recipe, small, two } from './image-tools';

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

export const POOL_CASES: Readonly<Record<string, Maker>> = {
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

export const POOL_REFERENCE: Readonly<Record<string, Formula>> = {
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

export const POOL_RECIPES: Readonly<Record<string, Recipe>> = {
  max_pool2d: recipe('conv/max-pool2d'),
  avg_pool2d: recipe('conv/avg-pool2d'),
  adaptive_avg_pool2d: recipe('conv/adaptive-avg-pool2d'),
};
