/**
 * Linear(2, 4), Tanh, Linear(4, 1) in shards over two ranks, as in fully_shard: each tensor is divided along its first
 * dimension, and a rank's shards are consecutive, padded to the same length on both ranks. Implements a rank's work
 * with its shards, for the scripts of the museum.
 */
import { at } from '../base/invariant';
import type { Dist } from '../distributed/dist';
import { tensor, zeros } from '../distributed/tensor';
import type { CurvePoint } from './column-row-pair';

export const RANKS = 2;
const HIDDEN = 4;

interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly start: readonly number[];
}

/** The tensors in torch's order of registration. */
export const TENSORS: readonly NamedTensor[] = [
  { name: '0.weight', shape: [HIDDEN, 2], start: [0.6, -0.2, -0.4, 0.5, 0.3, 0.4, -0.5, -0.3] },
  { name: '0.bias', shape: [HIDDEN], start: [0.1, -0.2, 0.2, 0.3] },
  { name: '2.weight', shape: [1, HIDDEN], start: [0.5, -0.3, 0.4, 0.6] },
  { name: '2.bias', shape: [1], start: [0.5] },
];

const [ROWS_OF_LAYER, BIASES, OUTPUTS, BIAS] = [0, 8, 12, 16];
export const wholeAtStart = (): Float32Array => Float32Array.from(TENSORS.flatMap(({ start }) => start));

const rowsPerRank = ({ shape }: NamedTensor): number => Math.ceil(at(shape, 0) / RANKS);
const perRow = ({ shape }: NamedTensor): number => shape.slice(1).reduce((n, size) => n * size, 1);
/** The length of a rank's shards, with padding. */
export const SHARD_LENGTH = TENSORS.reduce((n, own) => n + rowsPerRank(own) * perRow(own), 0);

/** The shapes of a rank's shards, without padding; tensors of which the rank has no row are left out. */
export function shardShapes(rank: number): readonly { readonly name: string; readonly shape: readonly number[] }[] {
  return TENSORS.flatMap((own) => {
    const most = rowsPerRank(own);
    const rows = Math.max(0, Math.min(most, at(own.shape, 0) - rank * most));
    return rows === 0 ? [] : [{ name: own.name, shape: [rows, ...own.shape.slice(1)] }];
  });
}

/** For each number of the whole model, its rank, and its index in this rank's shards. */
const PLACES: readonly (readonly [rank: number, index: number])[] = (() => {
  let before = 0;
  return TENSORS.flatMap((own) => {
    const length = rowsPerRank(own) * perRow(own);
    const from = before;
    before += length;
    return own.start.map((_, i) => [Math.floor(i / length), from + (i % length)] as const);
  });
})();

export function shardOf(whole: ArrayLike<number>, rank: number): Float32Array {
  const shard = new Float32Array(SHARD_LENGTH);
  for (const [i, [owner, index]] of PLACES.entries()) if (owner === rank) shard[index] = at(whole, i);
  return shard;
}

/** All shards, rank after rank. */
const shardsOfAll = (whole: ArrayLike<number>): readonly number[] =>
  Array.from({ length: RANKS }, (_, rank) => [...shardOf(whole, rank)]).flat();

const fromShards = (all: ArrayLike<number>): Float32Array =>
  Float32Array.from(PLACES, ([rank, index]) => at(all, rank * SHARD_LENGTH + index));

/** The all-gather before a layer computes, here for both layers at once. */
export async function gatherWhole(dist: Dist, shard: ArrayLike<number>): Promise<Float32Array> {
  const all = zeros([RANKS * SHARD_LENGTH]);
  await dist.allGatherIntoTensor(all, tensor(shard), { site: '_fsdp_collectives.py, foreach_all_gather()' });
  return fromShards(all.data);
}

/** The reduce-scatter after backward: the mean gradient of this rank's shards. */
export async function scatterMean(dist: Dist, gradient: ArrayLike<number>): Promise<Float32Array> {
  const own = zeros([SHARD_LENGTH]);
  await dist.reduceScatterTensor(own, tensor(shardsOfAll(gradient)), {
    site: '_fsdp_collectives.py, foreach_reduce()',
  });
  return Float32Array.from(own.data, (value) => value / RANKS);
}

const outputs = (whole: ArrayLike<number>, [a, b]: CurvePoint['x']) => {
  const hidden = Array.from({ length: HIDDEN }, (_, k) =>
    Math.tanh(at(whole, ROWS_OF_LAYER + 2 * k) * a + at(whole, ROWS_OF_LAYER + 2 * k + 1) * b + at(whole, BIASES + k)),
  );
  return { hidden, out: hidden.reduce((sum, value, k) => sum + value * at(whole, OUTPUTS + k), at(whole, BIAS)) };
};

/** The mean square error. */
export const lossOf = (whole: ArrayLike<number>, batch: readonly CurvePoint[]): number =>
  batch.reduce((sum, { x, y }) => sum + (outputs(whole, x).out - y) ** 2, 0) / batch.length;

/** The gradient of the loss for the whole model. */
export function gradientOf(whole: ArrayLike<number>, batch: readonly CurvePoint[]): Float32Array {
  const gradient = new Float32Array(wholeAtStart().length);
  const add = (index: number, value: number) => {
    gradient[index] = at(gradient, index) + value;
  };
  for (const { x, y } of batch) {
    const { hidden, out } = outputs(whole, x);
    const error = (2 * (out - y)) / batch.length;
    add(BIAS, error);
    for (const [k, value] of hidden.entries()) {
      add(OUTPUTS + k, error * value);
      const below = error * at(whole, OUTPUTS + k) * (1 - value ** 2);
      add(BIASES + k, below);
      add(ROWS_OF_LAYER + 2 * k, below * x[0]);
      add(ROWS_OF_LAYER + 2 * k + 1, below * x[1]);
    }
  }
  return gradient;
}
