/**
 * Embedding under test: cases of random inputs, the formula in double precision, and how the torch operator of
 * fixtures/ops.json is said here.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { type CaseInput, type Maker, reals } from '../case-tools';
import { direct, type Recipe } from '../recipe';
import { arg, el, type Formula, range } from '../reference-tools';

function ids(shape: Shape, rows: number, random: () => number): CaseInput {
  const data = Int32Array.from({ length: elements(shape) }, () => Math.floor(random() * rows));
  return { type: { shape, dtype: 'i32' }, data, wrt: false };
}

export const EMBEDDING_CASES: Readonly<Record<string, Maker>> = {
  embedding: ([a, b, d], random) => ({
    op: 'embedding/embedding',
    attrs: {},
    inputs: [ids([a, 3], b + 2, random), reals([b + 2, d], random)],
  }),
  'embedding, rows of fours': ([a, b, d], random) => ({
    op: 'embedding/embedding',
    attrs: {},
    inputs: [ids([a + 5], b, random), reals([b, 4 * Math.ceil(d / 4)], random)],
  }),
  'embedding, a part of the rows': ([a, b, d], random) => ({
    op: 'embedding/embedding',
    attrs: { first: 2 },
    inputs: [ids([a + 5], b + 4, random), reals([b, d], random)],
  }),
  'embedding, a part of the rows, of fours': ([a, b, d], random) => ({
    op: 'embedding/embedding',
    attrs: { first: 1 },
    inputs: [ids([a + 5], b + 2, random), reals([b, 4 * Math.ceil(d / 4)], random)],
  }),
};

/** Without paddingIdx: a formula that differences cannot know of it. */
export const EMBEDDING_REFERENCE: Readonly<Record<string, Formula>> = {
  'embedding/embedding'(inputs, attrs) {
    const [index, weight] = [arg(inputs, 0), arg(inputs, 1)];
    const [rows, width] = [at(weight.shape, 0), at(weight.shape, 1)];
    const first = typeof attrs.first === 'number' ? attrs.first : 0;
    const isHere = (id: number) => id >= first && id < first + rows;
    return index.data.flatMap((id) =>
      range(width).map((d) => (isHere(id) ? el(weight.data, (id - first) * width + d) : 0)),
    );
  },
};

export const EMBEDDING_RECIPES: Readonly<Record<string, Recipe>> = {
  embedding: direct('embedding/embedding', ({ attrs }) =>
    typeof attrs.padding_idx === 'number' ? { paddingIdx: attrs.padding_idx } : {},
  ),
};
