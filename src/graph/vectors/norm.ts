/** Batch and layer norm with vectors. */
import { at } from '../../base/invariant';
import { joinGradSums } from '../ops/norm/batch-norm-grad';
import { joinStatistics } from '../ops/norm/batch-norm-stats';
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

const batchNormStats: VectorOp = (args, vectors) => {
  const split = splitForSums(viewOf(at(args.inputTypes, 0).shape));
  if (!hasRoom(split, vectors)) return undefined;
  const [x, partial] = [addressOf(at(args.inputs, 0)), addressOf(at(args.outputs, 5))];
  return () => {
    eachChannel(split, (c, first, second) =>
      vectors.kernels.moments(
        ...[x + 4 * c * split.plane, split.batch, split.channels, split.plane],
        ...[split.slices, split.lanes, split.width],
        ...[partial + first, partial + second, vectors.scratch],
      ),
    );
    joinStatistics(args, split);
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

const batchNormGradReduce: VectorOp = (args, vectors) => {
  const { inputs, outputs, inputTypes } = args;
  const split = splitForSums(viewOf(at(inputTypes, 0).shape));
  if (!hasRoom(split, vectors)) return undefined;
  const [dy, x, partial] = [at(inputs, 0), at(inputs, 1), at(outputs, 4)].map(addressOf) as [number, number, number];
  const mean = at(inputs, 2);
  return () => {
    eachChannel(split, (c, first, second) =>
      vectors.kernels.gradSums(
        ...[dy + 4 * c * split.plane, x + 4 * c * split.plane, at(mean, c)],
        ...[split.batch, split.channels, split.plane, split.slices, split.lanes, split.width],
        ...[partial + first, partial + second, vectors.scratch],
      ),
    );
    joinGradSums(args, split);
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
