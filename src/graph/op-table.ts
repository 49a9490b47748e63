/**
 * All operators that a model's graph is made of, by name. Optimisers and collectives bring tables of their own;
 * `parallel` merges them.
 */
import type { OpTable } from './op';
import { ATTENTION_OPS } from './ops/attention';
import { COLLECTIVE_OPS } from './ops/collective';
import { CONV_OPS } from './ops/conv';
import { EMBEDDING_OPS } from './ops/embedding';
import { FUSED_OPS } from './ops/fused';
import { LINEAR_OPS } from './ops/linear';
import { LOSS_OPS } from './ops/loss';
import { NORM_OPS } from './ops/norm';
import { POINTWISE_OPS } from './ops/pointwise';
import { REDUCE_OPS } from './ops/reduce';
import { SHAPE_OPS } from './ops/shape';

export const OPS: OpTable = new Map(
  [
    ...FUSED_OPS,
    ...LINEAR_OPS,
    ...POINTWISE_OPS,
    ...REDUCE_OPS,
    ...LOSS_OPS,
    ...SHAPE_OPS,
    ...NORM_OPS,
    ...CONV_OPS,
    ...ATTENTION_OPS,
    ...EMBEDDING_OPS,
    ...COLLECTIVE_OPS,
  ].map((op) => [op.name, op]),
);
