/**
 * The graph of whole layers as a rank runs it that keeps only shards of the parameters: '0.weight' is the rank's shard,
 * and what the graph computes with is '0.unsharded.weight', whose gradient is '0.unsharded.weight.grad'. Called by
 * fsdp.ts.
 */
import type { GraphValue, Role } from '../../graph/graph';
import type { StageGraph } from '../stage-graph';

/** With the last part of the name at the end, by which operators and words know a weight from a bias. */
export const unsharded = (parameter: string): string => parameter.replace(/[^.]*$/, 'unsharded.$&');
export const unshardedGradient = (parameter: string): string => `${unsharded(parameter)}.grad`;
export const shardGradient = (parameter: string): string => `${parameter}.grad`;

/** `keepsGradients`: whole gradients live from one micro-batch to the next; else each only until it is reduced. */
export function unshardedGraph(stage: StageGraph, keepsGradients: boolean): StageGraph {
  const named = new Map<string, readonly [name: string, role: Role | undefined]>();
  for (const { name } of stage.registered) named.set(name, [unsharded(name), 'unsharded']);
  const parameters = stage.parameters.map(({ name, gradient, fresh, ...more }) => {
    const whole = unshardedGradient(name);
    const made = fresh === gradient ? whole : `${whole}.micro`;
    named.set(fresh, [made, keepsGradients && fresh === gradient ? undefined : 'unshardedGradient']);
    return { ...more, name, gradient: whole, fresh: made };
  });
  const renamed = (value: GraphValue): GraphValue => {
    const [name = value.name, role = value.role] = named.get(value.name) ?? [];
    return { ...value, name, role };
  };
  const regions = new Map([...stage.regions].map(([name, region]) => [named.get(name)?.[0] ?? name, region]));
  return { ...stage, graph: { ...stage.graph, values: stage.graph.values.map(renamed) }, parameters, regions };
}
