/** How each torch operator of fixtures/ops.json is said with ours, of all families. */
import { ATTENTION_RECIPES } from './families/attention';
import { CONV_RECIPES } from './families/conv';
import { EMBEDDING_RECIPES } from './families/embedding';
import { LINEAR_RECIPES } from './families/linear';
import { LOSS_RECIPES } from './families/loss';
import { NORM_RECIPES } from './families/norm';
import { POINTWISE_RECIPES } from './families/pointwise';
import { POOL_RECIPES } from './families/pool';
import { REDUCE_RECIPES } from './families/reduce';
import { SHAPE_RECIPES } from './families/shape';
import type { Recipe } from './recipe';

export const RECIPES: Readonly<Record<string, Recipe>> = {
  ...LINEAR_RECIPES,
  ...POINTWISE_RECIPES,
  ...REDUCE_RECIPES,
  ...SHAPE_RECIPES,
  ...LOSS_RECIPES,
  ...NORM_RECIPES,
  ...CONV_RECIPES,
  ...POOL_RECIPES,
  ...ATTENTION_RECIPES,
  ...EMBEDDING_RECIPES,
};
