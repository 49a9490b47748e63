/** Forward formulas of every operator in double precision, of all families. */
import { ATTENTION_REFERENCE } from './families/attention';
import { CONV_REFERENCE } from './families/conv';
import { EMBEDDING_REFERENCE } from './families/embedding';
import { LINEAR_REFERENCE } from './families/linear';
import { LOSS_REFERENCE } from './families/loss';
import { NORM_REFERENCE } from './families/norm';
import { PARALLEL_LOSS_REFERENCE } from './families/parallel-loss';
import { POINTWISE_REFERENCE } from './families/pointwise';
import { POOL_REFERENCE } from './families/pool';
import { REDUCE_REFERENCE } from './families/reduce';
import { SHAPE_REFERENCE } from './families/shape';
import type { Formula } from './reference-tools';

export const REFERENCE: Readonly<Record<string, Formula>> = {
  ...LINEAR_REFERENCE,
  ...POINTWISE_REFERENCE,
  ...REDUCE_REFERENCE,
  ...SHAPE_REFERENCE,
  ...LOSS_REFERENCE,
  ...PARALLEL_LOSS_REFERENCE,
  ...NORM_REFERENCE,
  ...CONV_REFERENCE,
  ...POOL_REFERENCE,
  ...ATTENTION_REFERENCE,
  ...EMBEDDING_REFERENCE,
};
