/**
 * A rank's copies around the collectives of an FSDP unit: its shards before the all-gather, the whole tensors after it,
 * the whole gradients before the reduce-scatter, and its shards' gradients after it. The flat buffer between them is
 * drawn as chunks while a collective sends it.
 */
import { lookup } from '../../../base/lookup';
import { HALF_NAMES } from '../../../protocol/half-names';
import { paramHalf } from '../../../protocol/half-of';
import { flow } from './flow';
import { blockOf } from './flow-blocks';
import { matrixGrid } from './matrix-grid';
import type { OperatorPicture } from './operator-picture';
import { captioned } from './places';

/** The side of the copy whose tensors have names, and words for them. */
const SIDES: Readonly<Record<string, readonly [side: 'reads' | 'writes', words: readonly string[]]>> = {
  'fsdp/all-gather-copy-in': ['reads', ['this rank’s shards, to be gathered', 'shards, to be gathered', 'shards']],
  'fsdp/split-with-sizes-copy': ['writes', ['gathered: whole parameters', 'gathered', 'whole']],
  'fsdp/post-forward-shard': ['reads', ['whole parameters, kept in parts', 'kept in parts', 'kept']],
  'fsdp/chunk-cat': ['reads', ['whole gradients, cut for the ranks', 'whole gradients', 'whole']],
  'fsdp/accumulate-sharded-grad': [
    'writes',
    ['mean gradients, added to those of earlier micro-batches', 'mean gradients, added', 'sum'],
  ],
  'fsdp/sharded-grad': ['writes', ['mean gradients of this rank’s shards', 'mean gradients', 'mean']],
};

/** The copies whose tensors have the type of a MixedPrecisionPolicy. */
const HALF_OF_COPY = /^fsdp\/(split-with-sizes-copy|post-forward-shard)$/;

/** So many tensors are drawn in a line: a weight and its bias. Of more, the matrices are drawn in a grid. */
const MOST = 3;

export const shards: OperatorPicture = {
  name: 'shards',
  operators: Object.keys(SIDES),
  shows: 'the shards or the whole tensors of a unit, before or after a collective',
  draw(operation, sketch) {
    const { event, area, detail, info } = operation;
    const [side, words] = lookup(SIDES, event.name) ?? [];
    const own = side === undefined ? [] : operation[side];
    if (own.length === 0 || words === undefined) return;
    const { caption, body } = captioned(area, detail !== 'least');
    const half = HALF_OF_COPY.test(event.name) ? paramHalf(info.config) : undefined;
    const told = half ? words.map((word) => `${word}, ${HALF_NAMES[half]}`) : words;
    if (detail !== 'least') sketch.word(caption, told, { tone: 'ink' });
    const nameOf = (name: string): string => name.replace('unsharded.', '').replace(/, kept as halves$/, '');
    const matrices = own.filter(({ shape }) => shape.length > 1);
    const inGrid = own.length > MOST && matrices.length > 1;
    const tensors = inGrid ? matrices : own.slice(0, MOST);
    const signs = tensors.slice(1).map(() => ' ');
    if (inGrid) matrixGrid(sketch, body, matrices);
    else
      flow(
        sketch,
        body,
        (crop) => tensors.map((operand) => blockOf(sketch, operand, nameOf(operand.name), crop)),
        signs,
      );
    const more = own.length - tensors.length;
    const named = tensors.map(({ name, shape }) => `${nameOf(name)} ${shape.join(' × ')}`).join(', ');
    sketch.say(`${told[0]}: ${named}${more > 0 ? `, and ${more} more` : ''}`);
  },
};
