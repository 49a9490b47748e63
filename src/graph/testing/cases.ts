/** Test cases of every operator: its inputs for three sizes and a seed, of all families. */

import type { Maker } from './case-tools';
import { ATTENTION_CASES } from './families/attention';
import { CONV_CASES } from './families/conv';
import { EMBEDDING_CASES } from './families/embedding';
import { LINEAR_CASES } from './families/linear';
import { LOSS_CASES } from './families/loss';
import { NORM_CASES } from './families/norm';
import { PARALLEL_LOSS_CASES } from './families/parallel-loss';
import { POINTWISE_CASES } from './families/pointwise';
import { POOL_CASES } from './families/pool';
import { REDUCE_CASES } from './families/reduce';
import { SHAPE_CASES } from './families/shape';

export const CASES: Readonly<Record<string, Maker>> = {
  ...LINEAR_CASES,
  ...POINTWISE_CASES,
  ...REDUCE_CASES,
  ...SHAPE_CASES,
  ...LOSS_CASES,
  ...PARALLEL_LOSS_CASES,
  ...NORM_CASES,
  ...CONV_CASES,
  ...POOL_CASES,
  ...ATTENTION_CASES,
  ...EMBEDDING_CASES,
};
