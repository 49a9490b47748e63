/**
 * The optimisers: torch.optim's by their names, with torch's arguments and defaults (camelCase) in the order of torch's
 * signatures, and groups of parameters with their own settings. The page's list, the names in links and the arguments
 * in PyTorch listings come from here; only lr may have another default than torch's.
 */
import * as v from 'valibot';
import { real } from './fields';

const lr = (value: number) => v.optional(real(0, 100), value);
const weightDecay = (value = 0) => v.optional(real(0, 10), value);
const factor = (value: number) => v.optional(real(0, 0.999999), value);
const eps = (value: number) => v.optional(real(0, 1), value);
const maximize = v.optional(v.boolean(), false);
/** Whether weight decay shrinks the parameter, as in AdamW, instead of being added to the gradient. */
const decoupledWeightDecay = v.optional(v.boolean(), false);

const adam = (decay: number) => ({
  lr: lr(0.001),
  beta1: factor(0.9),
  beta2: factor(0.999),
  eps: eps(1e-8),
  weightDecay: weightDecay(decay),
  amsgrad: v.optional(v.boolean(), false),
  maximize,
});
/** The arguments of Adam that Adamax, NAdam and RAdam share. */
const moments = (rate: number) => ({
  lr: lr(rate),
  beta1: factor(0.9),
  beta2: factor(0.999),
  eps: eps(1e-8),
  weightDecay: weightDecay(),
});

export const optimizerSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('SGD'),
    lr: lr(0.1),
    momentum: v.optional(real(0, 1), 0),
    dampening: v.optional(real(0, 1), 0),
    weightDecay: weightDecay(),
    nesterov: v.optional(v.boolean(), false),
    maximize,
  }),
  v.strictObject({ type: v.literal('Adam'), ...adam(0), decoupledWeightDecay }),
  v.strictObject({ type: v.literal('AdamW'), ...adam(0.01) }),
  v.strictObject({
    type: v.literal('RMSprop'),
    lr: lr(0.01),
    alpha: factor(0.99),
    eps: eps(1e-8),
    weightDecay: weightDecay(),
    momentum: v.optional(real(0, 1), 0),
    centered: v.optional(v.boolean(), false),
    maximize,
  }),
  v.strictObject({
    type: v.literal('Adagrad'),
    lr: lr(0.01),
    lrDecay: v.optional(real(0, 10), 0),
    weightDecay: weightDecay(),
    initialAccumulatorValue: v.optional(real(0, 1000), 0),
    eps: eps(1e-10),
    maximize,
  }),
  v.strictObject({
    type: v.literal('Adadelta'),
    lr: lr(1),
    rho: factor(0.9),
    eps: eps(1e-6),
    weightDecay: weightDecay(),
    maximize,
  }),
  v.strictObject({ type: v.literal('Adamax'), ...moments(0.002), maximize }),
  v.strictObject({
    type: v.literal('NAdam'),
    ...moments(0.002),
    momentumDecay: v.optional(real(0, 1), 0.004),
    decoupledWeightDecay,
    maximize,
  }),
  v.strictObject({ type: v.literal('RAdam'), ...moments(0.001), decoupledWeightDecay, maximize }),
]);

/** The optimisers' names in torch.optim. */
export const OPTIMIZER_TYPES = optimizerSchema.options.map(({ entries }) => entries.type.literal);

/** Optimisers that divide by the size of the gradients, so that a common factor of all gradients cancels. */
export const SCALE_FREE: ReadonlySet<OptimizerConfig['type']> = new Set([
  'Adam',
  'AdamW',
  'Adamax',
  'NAdam',
  'RMSprop',
]);

/**
 * Parameters whose names match `match` ('*' stands for any text: '*.bias', 'blocks.*'); the first matching group wins.
 * An optimizer reads only the settings that it has.
 */
export const paramGroupSchema = v.strictObject({
  match: v.pipe(v.string(), v.minLength(1)),
  lr: v.optional(real(0, 100)),
  weightDecay: v.optional(real(0, 10)),
  momentum: v.optional(real(0, 1)),
  dampening: v.optional(real(0, 1)),
  nesterov: v.optional(v.boolean()),
  beta1: v.optional(real(0, 0.999999)),
  beta2: v.optional(real(0, 0.999999)),
  eps: v.optional(real(0, 1)),
  alpha: v.optional(real(0, 0.999999)),
  rho: v.optional(real(0, 0.999999)),
  lrDecay: v.optional(real(0, 10)),
  momentumDecay: v.optional(real(0, 1)),
  amsgrad: v.optional(v.boolean()),
  centered: v.optional(v.boolean()),
  maximize: v.optional(v.boolean()),
  decoupledWeightDecay: v.optional(v.boolean()),
});

/** All arguments of an optimiser with their defaults, in the order of torch's signature. */
export function defaultsOf(type: OptimizerConfig['type']): Readonly<Record<string, unknown>> {
  const { type: _, ...defaults } = v.parse(optimizerSchema, { type });
  return defaults;
}

export type OptimizerConfig = v.InferOutput<typeof optimizerSchema>;
export type ParamGroupConfig = v.InferOutput<typeof paramGroupSchema>;
