/** Normalisation layers: layer, batch and group norm. */
import type { OpDef } from '../../op';
import { batchNorm } from './batch-norm';
import { batchNormEval } from './batch-norm-eval';
import { batchNormGradInput, batchNormGradReduce } from './batch-norm-grad';
import { batchNormPool } from './batch-norm-pool';
import { batchNormStats } from './batch-norm-stats';
import { groupNorm } from './group-norm';
import { groupNormGrad } from './group-norm-grad';
import { layerNorm } from './layer-norm';
import { layerNormGradInput, layerNormGradParams } from './layer-norm-grad';
import { syncBatchNormGather, syncBatchNormStats } from './sync-batch-norm';

export const NORM_OPS: readonly OpDef[] = [
  layerNorm,
  layerNormGradParams,
  layerNormGradInput,
  batchNormStats,
  batchNorm,
  batchNormPool,
  batchNormGradReduce,
  batchNormGradInput,
  batchNormEval,
  groupNorm,
  groupNormGrad,
  syncBatchNormStats,
  syncBatchNormGather,
];
