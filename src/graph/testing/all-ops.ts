/**
 * The operators that ship, and those that no layer, loss or pass is made of: they are held against PyTorch, the CPU and
 * double precision like the others, and stay out of what workers load. An operator that a new layer needs moves from
 * here into the index of its family.
 */
import type { OpDef, OpTable } from '../op';
import { OPS } from '../op-table';
import { attention, attentionGrad } from '../ops/attention/attention';
import { channelSums } from '../ops/conv/channel-bias-gradient';
import { convTranspose2d } from '../ops/conv/conv-transpose2d';
import { conv1d } from '../ops/conv/conv2d';
import { elementLoss } from '../ops/loss/element-loss';
import { BCE } from '../ops/loss/element-losses';
import { batchNormEvalGradInput } from '../ops/norm/batch-norm-eval';
import { binary } from '../ops/pointwise/binary';
import { chain } from '../ops/pointwise/chain';
import { MORE_ARITHMETIC } from '../ops/pointwise/more-arithmetic';
import { neg } from '../ops/pointwise/neg';
import { POWERS } from '../ops/pointwise/powers';
import { STAGE_OPS } from '../ops/pointwise/stage-ops';
import { unary } from '../ops/pointwise/unary';
import { maskedFill, where } from '../ops/pointwise/where';
import { cumsum } from '../ops/reduce/cumsum';
import { logsumexp, logsumexpGrad } from '../ops/reduce/logsumexp';
import { max, maxAllGrad, maxGrad } from '../ops/reduce/max';
import { norm, normGrad } from '../ops/reduce/norm';
import { sumGrad } from '../ops/reduce/sum';
import { variance, varianceGrad } from '../ops/reduce/var';
import { stack } from '../ops/shape/cat';
import { chunk } from '../ops/shape/chunk';
import { expand } from '../ops/shape/expand';
import { gather } from '../ops/shape/gather-elements';
import { indexSelect, indexSelectGrad } from '../ops/shape/index-select';
import { pad } from '../ops/shape/place';
import { flatten } from '../ops/shape/reshape';
import { gatherGrad, scatter, scatterAdd, scatterGrad } from '../ops/shape/scatter';
import { permute, transpose } from '../ops/shape/transpose';

const named = (ops: readonly OpDef[]): OpTable => new Map(ops.map((op) => [op.name, op]));

/** What may be a stage of a chain, of all operators. */
export const ALL_STAGE_OPS: OpTable = new Map([
  ...STAGE_OPS,
  ...named([...POWERS.flatMap(unary), ...MORE_ARITHMETIC.flatMap(binary), neg, where, maskedFill]),
]);

export const ALL_OPS: OpTable = new Map([
  ...OPS,
  ...ALL_STAGE_OPS,
  ...named([
    chain(ALL_STAGE_OPS),
    sumGrad,
    norm,
    normGrad,
    variance,
    varianceGrad,
    max,
    maxGrad,
    maxAllGrad,
    logsumexp,
    logsumexpGrad,
    cumsum,
    ...elementLoss(BCE),
    transpose,
    permute,
    flatten,
    stack,
    chunk,
    pad,
    expand,
    gather,
    gatherGrad,
    scatter,
    scatterGrad,
    scatterAdd,
    indexSelect,
    indexSelectGrad,
    batchNormEvalGradInput,
    conv1d,
    convTranspose2d,
    channelSums,
    attention,
    attentionGrad,
  ]),
]);
