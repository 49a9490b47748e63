/** Which bucket each parameter of a model is in: one bucket in iteration 0, then buckets in the order in which backward makes the gradients. */
import { at, must } from '../../base/invariant';
import type { Config } from '../../protocol/config';
import { elements } from '../../tensor/shape';
import { nodesOf, type ParameterRef, type StageGraph } from '../stage-graph';
import { assignBuckets, bucketLimits } from './buckets';

/** Parameters in the order in which backward makes their gradients; within a module the bias before the weight, as autograd does. */
export function readyOrder(stage: StageGraph): readonly ParameterRef[] {
  const byGradient = new Map(stage.parameters.map((p) => [p.fresh, p]));
  return nodesOf(stage, 'backward').flatMap((node) =>
    [...node.outputs].reverse().flatMap((id) => {
      const parameter = byGradient.get(at(stage.graph.values, id).name);
      return parameter ? [parameter] : [];
    }),
  );
}

/** Buckets of a step: one in registration order in iteration 0, then rebuilt in ready order under the caps. */
export function bucketsOf(stage: StageGraph, config: Config, first: boolean): readonly (readonly ParameterRef[])[] {
  if (first) return [stage.parameters];
  const order = readyOrder(stage);
  const byName = new Map(stage.graph.values.map((v) => [v.name, v]));
  const bytes = order.map((p) => 4 * elements(must(byName.get(p.name), p.name).type.shape));
  return assignBuckets(bytes, bucketLimits(config.ddp)).map((indices) => indices.map((i) => at(order, i)));
}
