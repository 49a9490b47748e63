/** What the tests of convolutions and poolings share: sizes, pixels of an image, and torch's arguments by our names. */
import type { Attrs } from '../../op';
import type { Recipe, RecipeContext, TorchCase } from '../recipe';
import { type Doubles, el, range } from '../reference-tools';

/** Not more than `most`, and not less than 1: property tests difference every element. */
export const small = (n: number, most: number): number => 1 + ((n - 1) % most);

/** Attr as [y, x]; in one dimension y is neutral. */
export const two = (attrs: Attrs, name: string, fallback: number, rank = 2): readonly [number, number] => {
  const v = attrs[name] ?? fallback;
  const list = Array.isArray(v) ? (v as number[]) : range(rank).map(() => Number(v));
  return rank === 1 ? [fallback, el(list, 0)] : [el(list, 0), el(list, 1)];
};

/** Value of x [N, C, H, W] at a place, 0 outside. */
export const pixel =
  (x: Doubles, height: number, width: number) =>
  (plane: number, i: number, j: number): number =>
    i < 0 || j < 0 || i >= height || j >= width ? 0 : el(x.data, (plane * height + i) * width + j);

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
/** How a torch operator of fixtures/ops.json is said here. */
export const recipe =
  (op: string): Recipe =>
  (c: RecipeContext) =>
    c.apply(op, Object.keys(c.case.inputs).map(c.input), attrsOf(c.case));
