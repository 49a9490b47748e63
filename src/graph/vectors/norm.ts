/** Batch and layer norm with vectors. */
import { at } from '../../base/invariant';
import { joinMoments, joinSums } from '../ops/norm/channel-sums';
import { type ChannelView, partsOf, type Split, splitForSums, viewOf } from '../ops/norm/channels';
import { rowsToNormalize } from '../ops/norm/layer-norm';
import type { VectorOp } from './vector-op';
import { addressOf, type Vectors } from './vectors';

const pairsOf = ({ batch, channels }: ChannelView): number => batch * channels;

/** Whether scratch memory has room for two doubles a lane. */
const hasRoom = (split: Split, { fits }: Vectors): boolean => fits(16 * split.lanes);

/** Elements of rows from which another thread is worth its call. */
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

/** The running values are the plain kernel's: a few numbers a channel. */
const batchNormStats: VectorOp = (args, vectors) => {
  const { inputs, outputs, inputTypes, attrs } = args;
  const split = splitForSums(viewOf(at(inputTypes, 0).shape));
  if (!hasRoom(split, vectors)) return undefined;
  const [x, mean, invstd] = [at(inputs, 0), at(outputs, 0), at(outputs, 1)];
  const [runningMean, runningVar, tracked, partial] = [2, 3, 4, 5].map((k) => at(outputs, k)) as [
    typeof x,
    typeof x,
    typeof x,
    typeof x,
  ];
  const count = split.batch * split.plane;
  const eps = Number(attrs.eps);
  return () => {
    eachChannel(split, (c, first, second) =>
      vectors.kernels.moments(
        ...[addressOf(x) + 4 * c * split.plane, split.batch, split.channels, split.plane],
        ...[split.slices, split.lanes, split.width],
        ...[addressOf(partial) + first, addressOf(partial) + second, vectors.scratch],
      ),
    );
    const seen = at(tracked, 0) + 1;
    tracked[0] = seen;
    const momentum = attrs.cumulative === true ? 1 / seen : Number(attrs.momentum ?? 0.1);
    for (let c = 0; c < split.channels; c++) {
      const joined = joinMoments(partial, split, c);
      mean[c] = joined.mean;
      invstd[c] = 1 / Math.sqrt(joined.squares / count + eps);
      runningMean[c] = (1 - momentum) * at(runningMean, c) + momentum * joined.mean;
      runningVar[c] = (1 - momentum) * at(runningVar, c) + momentum * (joined.squares / (count - 1));
    }
  };
};

/** Where the parts of a channel lie in the scratch tensor, in bytes. */
function eachChannel(split: Split, visit: (channel: number, first: number, second: number) => void): void {
  const bytes = 4 * partsOf(split);
  for (let c = 0; c < split.channels; c++) visit(c, c * bytes, (split.channels + c) * bytes);
}

const batchNorm: VectorOp = ({ inputs, outputs, inputTypes, attrs }, { kernels }) => {
  const view = viewOf(at(inputTypes, 0).shape);
  const [x, mean, invstd, y] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(outputs, 0)];
  const [weight, bias] = [inputs[3], inputs[4]];
  const relu = attrs.activation === 'relu' ? 1 : 0;
  return () => {
    for (let pair = 0; pair < pairsOf(view); pair++) {
      const c = pair % view.channels;
      const scale = at(invstd, c) * (weight ? at(weight, c) : 1);
      const start = 4 * pair * view.plane;
      const factors = [at(mean, c), scale, bias ? at(bias, c) : 0, relu];
      kernels.scaleShift(addressOf(x) + start, addressOf(y) + start, view.plane, ...factors);
    }
  };
};

const batchNormGradReduce: VectorOp = ({ inputs, outputs, inputTypes }, vectors) => {
  const split = splitForSums(viewOf(at(inputTypes, 0).shape));
  if (!hasRoom(split, vectors)) return undefined;
  const [dweight, dbias, sumDy, sumDyXmu] = [at(outputs, 0), at(outputs, 1), at(outputs, 2), at(outputs, 3)];
  const [dy, x, mean, invstd, partial] = [
    ...[at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3)],
    at(outputs, 4),
  ] as [typeof dweight, typeof dweight, typeof dweight, typeof dweight, typeof dweight];
  return () => {
    eachChannel(split, (c, first, second) =>
      vectors.kernels.gradSums(
        ...[addressOf(dy) + 4 * c * split.plane, addressOf(x) + 4 * c * split.plane, at(mean, c)],
        ...[split.batch, split.channels, split.plane, split.slices, split.lanes, split.width],
        ...[addressOf(partial) + first, addressOf(partial) + second, vectors.scratch],
      ),
    );
    for (let c = 0; c < split.channels; c++) {
      const [ofDy, ofDyXmu] = joinSums(partial, split, c);
      dweight[c] = ofDyXmu * at(invstd, c);
      dbias[c] = ofDy;
      sumDy[c] = ofDy;
      sumDyXmu[c] = ofDyXmu;
    }
  };
};

const batchNormGradInput: VectorOp = ({ inputs, outputs, inputTypes, attrs }, { kernels }) => {
  const view = viewOf(at(inputTypes, 0).shape);
  const [dy, x, mean, invstd] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3)];
  const [sumDy, sumDyXmu, weight, dx] = [at(inputs, 4), at(inputs, 5), inputs[6], at(outputs, 0)];
  const count = Number(attrs.count ?? view.batch * view.plane);
  return () => {
    for (let pair = 0; pair < pairsOf(view); pair++) {
      const c = pair % view.channels;
      const inv = at(invstd, c);
      const slope = (at(sumDyXmu, c) / count) * inv * inv;
      const start = 4 * pair * view.plane;
      const factors = [at(mean, c), at(sumDy, c) / count, slope, inv * (weight ? at(weight, c) : 1)];
      const addresses = [addressOf(dy) + start, addressOf(x) + start, addressOf(dx) + start];
      kernels.normGradInput(...addresses, view.plane, ...factors);
    }
  };
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
