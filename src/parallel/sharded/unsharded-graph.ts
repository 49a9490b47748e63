/**
 * The graph of whole layers for a rank that keeps only shards of the parameters: '0.weight' is the rank's shard, and
 * the graph computes with '0.unsharded.weight', whose gradient is '0.unsharded.weight.grad'. Called by compile.ts and
 * by the mode pipeline.
 */
import type { GraphValue, Role } from '../../graph/graph';
import type { StageGraph } from '../stage-graph';
import type { Step } from '../step/walk';

/** Keeps the last part of the name at the end, because operators and sentences tell weight and bias by it. */
export const unsharded = (parameter: string): string => parameter.replace(/[^.]*$/, 'unsharded.$&');
export const unshardedGradient = (parameter: string): string => `${unsharded(parameter)}.grad`;
export const shardGradient = (parameter: string): string => `${parameter}.grad`;

/**
 * How long whole gradients live: until they are reduced after the micro-batch, from one micro-batch to the next, or
 * until the end of a batch whose micro-batches are all in one Program and share the whole parameters, too.
 */
type GradientLife = 'microBatch' | 'run' | 'batch';

function unshardedGraph(stage: StageGraph, life: GradientLife): StageGraph {
  const named = new Map<string, readonly [name: string, role: Role | undefined]>();
  for (const { name } of stage.registered) named.set(name, [unsharded(name), 'unsharded']);
  const parameters = stage.parameters.map(({ name, gradient, fresh, ...more }) => {
    const whole = unshardedGradient(name);
    const made = fresh === gradient ? whole : `${whole}.micro`;
    named.set(fresh, [made, life === 'run' && fresh === gradient ? undefined : 'unshardedGradient']);
    return { ...more, name, gradient: whole, fresh: made };
  });
  const renamed = (value: GraphValue): GraphValue => {
    const [name = value.name, role = value.role] = named.get(value.name) ?? [];
    return { ...value, name, role };
  };
  const regions = new Map([...stage.regions].map(([name, region]) => [named.get(name)?.[0] ?? name, region]));
  const whole = { ...stage, graph: { ...stage.graph, values: stage.graph.values.map(renamed) }, parameters, regions };
  if (life !== 'batch') return whole;
  const ofBatch = new Set(stage.registered.flatMap(({ name }) => [unsharded(name), unshardedGradient(name)]));
  // The accumulated gradient is not a value of a later micro-batch's graph, but lives as long as the other values.
  const { values } = whole.graph;
  const sums = parameters.flatMap(({ gradient, fresh }): GraphValue[] => {
    if (fresh === gradient) return [];
    const added = values.find(({ name }) => name === fresh);
    return added ? [{ ...added, name: gradient }] : [];
  });
  const withSums = [...values, ...sums.map((value, k) => ({ ...value, id: values.length + k }))];
  return { ...whole, graph: { ...whole.graph, values: withSums }, ofBatch };
}

/** The unsharded graphs of a step, each made once. */
export function unshardedGraphs(whole: Step['graphOf'], life: GradientLife): Step['graphOf'] {
  const made = new Map<StageGraph, StageGraph>();
  return (action, rows, rank) => {
    const graph = whole(action, rows, rank);
    const found = made.get(graph) ?? unshardedGraph(graph, life);
    made.set(graph, found);
    return found;
  };
}
