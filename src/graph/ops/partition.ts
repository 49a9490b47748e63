/**
 * The copies around a collective of the pass partition/, between a whole tensor and its pieces; the collectives
 * themselves know only rows, in the order of ranks. Blocks are the input or output of a collective: the pieces of all
 * ranks along attr `dim`, consecutive along dimension 0, each padded to the longest (as in torch). Gradients come in
 * pairs: pad and trim, join and blocks.
 */
import { at } from '../../base/invariant';
import { pieceOf, pieceShape } from '../../sharding/piece';
import { shard } from '../../sharding/placement';
import { elements, type Shape } from '../../tensor/shape';
import { denseStrides } from '../dims';
import type { Attrs, OpDef } from '../op';
import { PARALLEL_LOSS_OPS } from './loss/parallel-cross-entropy';
import { CUT_COLLECTIVES } from './more-collectives';
import { moveOp, type StridedMove } from './shape/moves';

/** Pads a piece with zeros to attr `length` along attr `dim`. */
export const PAD = 'partition/pad';
/** Removes the padding: leaves attr `length` along attr `dim`. */
export const TRIM = 'partition/trim';
/** Makes the whole tensor (attr `shape`) from blocks; attrs `dim`, `ranks`, `splitFactor` as in a placement Shard. */
export const JOIN = 'partition/join';
/** Makes the blocks from the whole tensor; attrs as for join. */
export const BLOCKS = 'partition/blocks';
/** Puts one rank's piece (attr `index`) at its place among zeros: an addend of the whole tensor; attrs as for join. */
export const PLACE = 'partition/place';
/** Takes the rank's piece of the whole tensor; attrs as for place. */
export const OWN = 'partition/own';
/** The input on the first rank (attr `index` 0), zeros on the others: an addend of a sum in which it occurs once. */
export const FIRST = 'partition/first';

const along = (shape: Shape, { dim, length }: Attrs): Shape => shape.with(Number(dim), Number(length));

/** Copies the elements that both shapes have. */
function overlap(from: Shape, to: Shape): StridedMove {
  return {
    input: 0,
    output: 0,
    sizes: from.map((size, d) => Math.min(size, at(to, d))),
    from: 0,
    fromStrides: denseStrides(from),
    to: 0,
    toStrides: denseStrides(to),
  };
}

const resized = (name: string, gradient: string): OpDef =>
  moveOp({
    name,
    infer: (inputs, attrs) => [{ ...at(inputs, 0), shape: along(at(inputs, 0).shape, attrs) }],
    gradient(c) {
      const dy = c.outputGrad(0);
      const { dim } = c.types.attrs;
      const length = at(at(c.types.inputs, 0).shape, Number(dim));
      return dy === undefined ? [] : c.emit(gradient, [dy], { dim: Number(dim), length }, [0]);
    },
    plan: ({ inputs, outputs }) => ({ fill: 0, moves: [overlap(at(inputs, 0).shape, at(outputs, 0).shape)] }),
  });

interface Blocks {
  readonly whole: Shape;
  readonly block: Shape;
  /** Shape of all blocks together. */
  readonly shape: Shape;
}

const pieceShapeOf = ({ shape, dim, ranks, splitFactor }: Attrs, index: number): Shape =>
  pieceShape(
    pieceOf(shape as Shape, [{ placement: shard(Number(dim), Number(splitFactor)), index, count: Number(ranks) }]),
  );

/** The first rank's piece is the longest. */
function blocksOf(attrs: Attrs): Blocks {
  const block = pieceShapeOf(attrs, 0);
  return { whole: attrs.shape as Shape, block, shape: block.with(0, Number(attrs.ranks) * at(block, 0)) };
}

/** Copies between the whole and a piece that begins at element `from` of the other tensor. */
function pieceMoves(attrs: Attrs, index: number, piece: Shape, from: number): readonly WholeMove[] {
  const [whole, dim, count] = [attrs.shape as Shape, Number(attrs.dim), Number(attrs.ranks)];
  const strides = denseStrides(piece);
  const { ranges } = pieceOf(whole, [{ placement: shard(dim, Number(attrs.splitFactor)), index, count }]);
  let held = 0;
  return at(ranges, dim).map(({ start, length }) => {
    const offset = from + held * at(strides, dim);
    held += length;
    return {
      sizes: whole.with(dim, length),
      whole: { offset: start * at(denseStrides(whole), dim), strides: denseStrides(whole) },
      other: { offset, strides },
    };
  });
}

interface Side {
  readonly offset: number;
  readonly strides: readonly number[];
}

interface WholeMove {
  readonly sizes: Shape;
  readonly whole: Side;
  readonly other: Side;
}

function directed({ sizes, whole, other }: WholeMove, toWhole: boolean): StridedMove {
  const [from, to] = toWhole ? [other, whole] : [whole, other];
  return {
    input: 0,
    output: 0,
    sizes,
    from: from.offset,
    fromStrides: from.strides,
    to: to.offset,
    toStrides: to.strides,
  };
}

function blockMoves(attrs: Attrs): readonly WholeMove[] {
  const { block } = blocksOf(attrs);
  return Array.from({ length: Number(attrs.ranks) }, (_, index) =>
    pieceMoves(attrs, index, block, index * elements(block)),
  ).flat();
}

const rearranged = (name: string, gradient: string, toWhole: boolean): OpDef =>
  moveOp({
    name,
    infer(inputs, attrs) {
      const { whole, shape } = blocksOf(attrs);
      return [{ ...at(inputs, 0), shape: toWhole ? whole : shape }];
    },
    gradient(c) {
      const dy = c.outputGrad(0);
      return dy === undefined ? [] : c.emit(gradient, [dy], c.types.attrs, [0]);
    },
    plan: ({ attrs }) => ({
      ...(toWhole ? {} : { fill: 0 }),
      moves: blockMoves(attrs).map((move) => directed(move, toWhole)),
    }),
  });

const ofOneRank = (name: string, gradient: string, toWhole: boolean): OpDef =>
  moveOp({
    name,
    infer(inputs, attrs) {
      const { shape, index } = attrs;
      return [{ ...at(inputs, 0), shape: toWhole ? (shape as Shape) : pieceShapeOf(attrs, Number(index)) }];
    },
    gradient(c) {
      const dy = c.outputGrad(0);
      return dy === undefined ? [] : c.emit(gradient, [dy], c.types.attrs, [0]);
    },
    plan({ attrs }) {
      const index = Number(attrs.index);
      const moves = pieceMoves(attrs, index, pieceShapeOf(attrs, index), 0).map((move) => directed(move, toWhole));
      return toWhole ? { fill: 0, moves } : { moves };
    },
  });

const first: OpDef = moveOp({
  name: FIRST,
  infer: (inputs) => [at(inputs, 0)],
  // Every rank has the gradient of the sum, which is also the gradient of the one addend.
  gradient: (c) => [c.outputGrad(0)],
  plan: ({ inputs, outputs, attrs }) =>
    attrs.index === 0 ? { moves: [overlap(at(inputs, 0).shape, at(outputs, 0).shape)] } : { fill: 0, moves: [] },
});

/** The operators that the pass partition/ adds to a graph. */
export const PARTITION_OPS: readonly OpDef[] = [
  ...CUT_COLLECTIVES,
  ...PARALLEL_LOSS_OPS,
  resized(PAD, TRIM),
  resized(TRIM, PAD),
  rearranged(JOIN, BLOCKS, true),
  rearranged(BLOCKS, JOIN, false),
  ofOneRank(PLACE, OWN, true),
  ofOneRank(OWN, PLACE, false),
  first,
];
