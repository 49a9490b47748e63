/**
 * Assigns the parameters of a model to buckets. The constructor does not know the order of the gradients yet: it builds
 * one bucket with everything or, with find_unused_parameters, several in reverse order of registration. DDP rebuilds
 * the buckets once, in the order of the gradients: before the second synced forward pass, with static_graph before the
 * third (its first backward pass only counts hooks), and with find_unused_parameters alone never.
 */
import { at, must } from '../../base/invariant';
import type { GraphValue } from '../../graph/graph';
import type { Config } from '../../protocol/config';
import { tensorBytes } from '../../tensor/shape';
import { nodesOf, type ParameterRef, type StageGraph } from '../stage-graph';
import { assignBuckets, bucketLimits } from './buckets';

export type Buckets = readonly (readonly ParameterRef[])[];

/**
 * Parameters in the order in which backward makes their gradients; within a module the bias before the weight, as
 * autograd does.
 */
export function readyOrder(stage: StageGraph): readonly ParameterRef[] {
  const byGradient = new Map(stage.parameters.map((p) => [p.fresh, p]));
  return nodesOf(stage, 'backward').flatMap((node) =>
    [...node.outputs].reverse().flatMap((id) => {
      const parameter = byGradient.get(at(stage.graph.values, id).name);
      return parameter ? [parameter] : [];
    }),
  );
}

/** Parameters that forward does not use. */
export function unusedParameters({ parameters, registered }: StageGraph): readonly ParameterRef[] {
  const used = new Set(parameters.map((p) => p.name));
  return registered.filter((p) => !used.has(p.name));
}

/** Whether DDP looks for unused parameters in every forward pass; with a static graph it looks once. */
export const findsUnused = ({ ddp }: Pick<Config, 'ddp'>): boolean => ddp.findUnusedParameters && !ddp.staticGraph;

/** Whether DDP ever rebuilds the constructor's buckets. */
export const rebuilds = (config: Pick<Config, 'ddp'>): boolean => !findsUnused(config);

/** Number of synced passes with the constructor's buckets, if DDP rebuilds them. */
export const passesBeforeRebuild = ({ ddp }: Pick<Config, 'ddp'>): number => (ddp.staticGraph ? 2 : 1);

/** The constructor's buckets. */
export function initialBuckets(stage: StageGraph, config: Pick<Config, 'ddp'>): Buckets {
  const { registered } = stage;
  if (!findsUnused(config)) return [registered];
  return inBuckets(stage, registered, bucketLimits(config.ddp)).reverse();
}

/** The buckets after the rebuild. Unused parameters, which only a static graph can have here, are last. */
export function rebuiltBuckets(stage: StageGraph, config: Pick<Config, 'ddp'>): Buckets {
  return inBuckets(
    stage,
    [...(stage.hookOrder ?? readyOrder(stage)), ...unusedParameters(stage)],
    bucketLimits(config.ddp),
  );
}

/** Buckets of a synced pass before or after the rebuild. */
export const bucketsOf = (stage: StageGraph, config: Pick<Config, 'ddp'>, rebuilt: boolean): Buckets =>
  rebuilt && rebuilds(config) ? rebuiltBuckets(stage, config) : initialBuckets(stage, config);

/** In the type of the model. */
export const parameterBytes = ({ type, half }: GraphValue): number => tensorBytes(type) / (half ? 2 : 1);

function inBuckets(
  stage: StageGraph,
  order: readonly ParameterRef[],
  limits: readonly number[],
): (readonly ParameterRef[])[] {
  const byName = new Map(stage.graph.values.map((v) => [v.name, v]));
  const bytes = order.map((p) => parameterBytes(must(byName.get(p.name), p.name)));
  return assignBuckets(bytes, limits).map((indices) => indices.map((i) => at(order, i)));
}
