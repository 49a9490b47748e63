/**
 * What a rank does around the collectives of a unit of FSDP: its shards before they are gathered, the whole tensors
 * once they are, the whole gradients before they are cut, and the gradients of its shards. The flat buffer between is
 * what travels, so it is drawn as chunks while it does.
 */
import { lookup } from '../../../base/lookup';
import { HALF_NAMES } from '../../../protocol/half-names';
import { paramHalf } from '../../../protocol/half-of';
import { blockOf } from './blocks';
import { flow } from './flow';
import type { OperatorPicture } from './operator-picture';
import { captioned } from './places';

/** Which side of the copy has tensors with names, and what they are. */
const SIDES: Readonly<Record<string, readonly [side: 'reads' | 'writes', words: readonly string[]]>> = {
  'fsdp/all-gather-copy-in': ['reads', ['this rank’s shards, to be gathered', 'shards, to be gathered', 'shards']],
  'fsdp/split-with-sizes-copy': ['writes', ['gathered: whole parameters', 'gathered', 'whole']],
  'fsdp/post-forward-shard': ['reads', ['whole parameters, kept in parts', 'kept in parts', 'kept']],
  'fsdp/chunk-cat': ['reads', ['whole gradients, cut for the ranks', 'whole gradients', 'whole']],
  'fsdp/sharded-grad': ['writes', ['mean gradients of this rank’s shards', 'mean gradients', 'mean']],
};

/** Whose tensors are in the type of a MixedPrecisionPolicy. */
const HALF_OF_COPY = /^fsdp\/(split-with-sizes-copy|post-forward-shard)$/;

/** A weight and its bias, or the largest of a block. */
const MOST = 3;

export const shards: OperatorPicture = {
  name: 'shards',
  operators: Object.keys(SIDES),
  shows: 'the shards or the whole tensors of a unit, before or after they travel',
  draw(operation, sketch) {
    const { event, area, detail, info } = operation;
    const [side, words] = lookup(SIDES, event.name) ?? [];
    const own = side === undefined ? [] : operation[side];
    if (own.length === 0 || words === undefined) return;
    const size = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);
    const largest = own.toSorted((a, b) => size(b.shape) - size(a.shape)).slice(0, MOST);
    const tensors = own.filter((operand) => largest.includes(operand));
    const { caption, body } = captioned(area, detail !== 'least');
    const half = HALF_OF_COPY.test(event.name) ? paramHalf(info.config) : undefined;
    const told = half ? words.map((word) => `${word}, ${HALF_NAMES[half]}`) : words;
    if (detail !== 'least') sketch.word(caption, told, { tone: 'ink' });
    const nameOf = (name: string): string => name.replace('unsharded.', '').replace(/, kept as halves$/, '');
    const signs = tensors.slice(1).map(() => ' ');
    flow(sketch, body, (crop) => tensors.map((operand) => blockOf(sketch, operand, nameOf(operand.name), crop)), signs);
    const more = own.length - tensors.length;
    const named = tensors.map(({ name, shape }) => `${nameOf(name)} ${shape.join(' × ')}`).join(', ');
    sketch.say(`${told[0]}: ${named}${more > 0 ? `, and ${more} more` : ''}`);
  },
};
