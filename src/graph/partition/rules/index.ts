/** The placement rules, one row per operator of a forward graph. Operators without a row work on whole tensors. */
import { onWholes, type Rule, type RuleInput, type RuleOf } from '../rule';
import { selfAttention } from './attention';
import { conv2d, pooling } from './conv';
import { embedding } from './embedding';
import { linear } from './linear';
import { crossEntropy } from './loss';
import { byChannel, groupNorm, layerNorm } from './norm';
import { broadcast, unary } from './pointwise';
import { reshape, slice } from './shape';

const rows = (names: readonly string[], rule: RuleOf) => names.map((name) => [name, rule] as const);

const RULES: ReadonlyMap<string, RuleOf> = new Map([
  ...rows(['ops/linear'], linear),
  ...rows(
    ['relu', 'tanh', 'sigmoid', 'gelu', 'silu', 'leaky-relu', 'elu', 'softplus'].map((name) => `ops/${name}`),
    unary,
  ),
  ...rows(['precision/cast'], unary),
  ...rows(['ops/add', 'ops/mul'], broadcast),
  ...rows(['norm/layer-norm'], layerNorm),
  ...rows(['norm/batch-norm-stats', 'norm/batch-norm', 'norm/batch-norm-eval'], byChannel),
  ...rows(['norm/group-norm'], groupNorm),
  ...rows(['attention/self-attention'], selfAttention),
  ...rows(['embedding/embedding'], embedding),
  ...rows(['conv/conv2d'], conv2d),
  ...rows(['conv/max-pool2d', 'conv/avg-pool2d', 'conv/adaptive-avg-pool2d'], pooling),
  ...rows(['loss/cross-entropy'], crossEntropy),
  ...rows(['shape/reshape'], reshape),
  ...rows(['shape/slice'], slice),
]);

export const hasRule = (op: string): boolean => RULES.has(op);

export const ruleOf = (op: string, input: RuleInput): Rule => RULES.get(op)?.(input) ?? onWholes(input);
