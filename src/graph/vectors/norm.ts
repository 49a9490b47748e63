/** Batch and layer norm with vectors. */
import { at } from '../../base/invariant';
import { joinGradSums } from '../ops/norm/batch-norm-grad';
import { joinStatistics } from '../ops/norm/batch-norm-stats';
import { type ChannelView, partsOf, type Split, splitForSums, viewOf } from '../ops/norm/channels';
import { rowsToNormalize } from '../ops/norm/layer-norm';
import type { VectorOp } from './vector-op';
import { addressOf, type Vectors } from './vectors';

/** Whether scratch memory has room for two doubles per lane. */
const hasRoom = (split: Split, { fits }: Vectors): boolean => fits(16 * split.lanes);

/** Fewest elements of rows per thread. */
const OF_A_THREAD = 8192;

const layerNorm: VectorOp = ({ inputs, outputs, inputTypes, attrs }, vectors) => {
  const { rows, columns } = rowsToNormalize(at(inputTypes, 0).shape, attrs);
  const [weight = 0, bias = 0] = inputs.slice(1).map(addressOf);
  const [x, y, mean, rstd] = [at(inputs, 0), at(outputs, 0), at(outputs, 1), at(outputs, 2)].map(addressOf) as Four;
  const eps = Number(attrs.eps ?? 1e-5);
  const calls = vectors.runs(rows, OF_A_THREAD / columns, 1).map(([from, to]) => {
    const [elements, numbers] = [4 * from * columns, 4 * from];
    return [x + elements, weight, bias, y + elements, mean + numbers, rstd + numbers, to - from, columns, eps];
  });
  return () => vectors.each('layerNorm', calls);
};

type Four = [number, number, number, number];

const layerNormGradInput: VectorOp = ({ inputs, outputs, inputTypes, attrs }, vectors) => {
  const { rows, columns } = rowsToNormalize(at(inputTypes, 0).shape, attrs);
  const [dy, x, mean, rstd] = inputs.slice(0, 4).map(addressOf) as Four;
  const weight = inputs[4] ? addressOf(inputs[4]) : 0;
  const dx = addressOf(at(outputs, 0));
  const calls = vectors.runs(rows, OF_A_THREAD / columns, 1).map(([from, to]) => {
    const [elements, numbers] = [4 * from * columns, 4 * from];
    return [dy + elements, x + elements, mean + numbers, rstd + numbers, weight, dx + elements, to - from, columns];
  });
  return () => vectors.each('layerNormGradInput', calls);
};

const layerNormGradParams: VectorOp = ({ inputs, outputs, inputTypes, attrs }, { kernels }) => {
  const { rows, columns } = rowsToNormalize(at(inputTypes, 0).shape, attrs);
  const saved = inputs.slice(0, 4).map(addressOf);
  const [dweight, dbias, partial] = [at(outputs, 0), at(outputs, 1), at(outputs, 2)];
  const parts = partial.length / 2 / columns;
  const second = addressOf(partial) + 4 * parts * columns;
  return () => {
    partial.fill(0);
    kernels.layerNormGradParams(...saved, addressOf(partial), rows, columns, parts);
    kernels.addParts(addressOf(partial), addressOf(dweight), columns, parts, columns);
    kernels.addParts(second, addressOf(dbias), columns, parts, columns);
  };
};

const batchNormStats: VectorOp = (args, vectors) => {
  const split = splitForSums(viewOf(at(args.inputTypes, 0).shape));
  if (!hasRoom(split, vectors)) return undefined;
  const [x, partial] = [addressOf(at(args.inputs, 0)), addressOf(at(args.outputs, 5))];
  const calls = ofChannels(split, (c, first, second) => [
    ...[x + 4 * c * split.plane, split.batch, split.channels, split.plane],
    ...[split.slices, split.lanes, split.width],
    ...[partial + first, partial + second],
  ]);
  return () => {
    vectors.each('moments', calls, true);
    joinStatistics(args, split);
  };
};

/** One call per channel. `first` and `second`: offsets of its two kinds of parts in the scratch tensor, in bytes. */
function ofChannels(split: Split, call: (channel: number, first: number, second: number) => readonly number[]) {
  const bytes = 4 * partsOf(split);
  return Array.from({ length: split.channels }, (_, c) => call(c, c * bytes, (split.channels + c) * bytes));
}

/**
 * Runs of planes: the offset of a run in a tensor in bytes, its number of planes, and the channel of its first plane.
 */
const planesOf = ({ batch, channels, plane }: ChannelView, vectors: Vectors) =>
  vectors.runs(batch * channels, OF_A_THREAD / plane, 1).map(([from, to]) => ({
    start: 4 * from * plane,
    sizes: [to - from, plane, from % channels, channels],
  }));

const batchNorm: VectorOp = ({ inputs, outputs, inputTypes, attrs }, vectors) => {
  const [x, mean, invstd, weight = 0, bias = 0] = inputs.map(addressOf) as [number, number, number, ...number[]];
  const y = addressOf(at(outputs, 0));
  const relu = attrs.activation === 'relu' ? 1 : 0;
  const calls = planesOf(viewOf(at(inputTypes, 0).shape), vectors).map(({ start, sizes }) => [
    ...[x + start, y + start],
    ...sizes,
    ...[mean, invstd, weight, bias, relu],
  ]);
  return () => vectors.each('batchNorm', calls);
};

const batchNormGradReduce: VectorOp = (args, vectors) => {
  const { inputs, outputs, inputTypes } = args;
  const split = splitForSums(viewOf(at(inputTypes, 0).shape));
  if (!hasRoom(split, vectors)) return undefined;
  const [dy, x, mean] = inputs.slice(0, 3).map(addressOf) as [number, number, number];
  const partial = addressOf(at(outputs, 4));
  const calls = ofChannels(split, (c, first, second) => [
    ...[dy + 4 * c * split.plane, x + 4 * c * split.plane, mean + 4 * c],
    ...[split.batch, split.channels, split.plane, split.slices, split.lanes, split.width],
    ...[partial + first, partial + second],
  ]);
  return () => {
    vectors.each('gradSums', calls, true);
    joinGradSums(args, split);
  };
};

const batchNormGradInput: VectorOp = ({ inputs, outputs, inputTypes, attrs }, vectors) => {
  const view = viewOf(at(inputTypes, 0).shape);
  const [dy, x, mean, invstd] = inputs.slice(0, 4).map(addressOf) as Four;
  const [sumDy = 0, sumDyXmu = 0, weight = 0] = inputs.slice(4).map(addressOf);
  const dx = addressOf(at(outputs, 0));
  const count = Number(attrs.count ?? view.batch * view.plane);
  const calls = planesOf(view, vectors).map(({ start, sizes }) => [
    ...[dy + start, x + start, dx + start],
    ...sizes,
    ...[mean, invstd, sumDy, sumDyXmu, weight, count],
  ]);
  return () => vectors.each('batchNormGradInput', calls);
};

export const NORM_VECTORS: readonly (readonly [string, VectorOp])[] = [
  ['norm/layer-norm', layerNorm],
  ['norm/layer-norm-grad-input', layerNormGradInput],
  ['norm/layer-norm-grad-params', layerNormGradParams],
  ['norm/batch-norm-stats', batchNormStats],
  ['norm/batch-norm', batchNorm],
  ['norm/batch-norm-grad-reduce', batchNormGradReduce],
  ['norm/batch-norm-grad-input', batchNormGradInput],
];
