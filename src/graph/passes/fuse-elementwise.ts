/**
 * Fuses chains of elementwise operators of one shape into 'pointwise/chain' if no other node reads the values in
 * between: for example an activation and its dropout, a residual sum and the next operator, or in backward a mask and
 * the activation's gradient. Each fusion saves a dispatch and a trip through memory. Runs last, after the fusions with
 * products, poolings and norms.
 */
import { at } from '../../base/invariant';
import type { Graph, GraphNode } from '../graph';
import type { OpTable, ValueId } from '../op';
import { chainAttrs, isStage, MOST_STAGES, type Stage } from '../ops/pointwise/chain';
import { STAGE_OPS } from '../ops/pointwise/stage-ops';
import { type GraphPass, replaceNodes, usesOf } from './rewrite';

interface Chain {
  readonly nodes: readonly GraphNode[];
  readonly stages: readonly Stage[];
  readonly inputs: readonly ValueId[];
}

/** The node as a stage of a chain whose result so far is the value; undefined if it cannot be a stage. */
function stageOf(ops: OpTable, graph: Graph, node: GraphNode, value: ValueId): Stage | undefined {
  const def = ops.get(node.op);
  const place = node.inputs.indexOf(value);
  if (!def || place > 1 || node.inputs.filter((id) => id === value).length !== 1) return undefined;
  const values = node.inputs.map((id) => at(graph.values, id));
  if (values.some(({ role }) => role === 'buffer')) return undefined; // another node may write it in between
  const operands = values.length === 2 ? 2 : 1;
  const stage: Stage = { op: node.op, attrs: node.attrs, operands, at: place === 1 ? 1 : 0 };
  const types = values.map(({ type }) => type);
  return isStage(def, types, stage) ? stage : undefined;
}

/** `ops`: the operators that may be a stage. */
export const elementwiseFusion =
  (ops: OpTable): GraphPass =>
  (graph, keep) => {
    const uses = usesOf(graph);
    const chains = new Map<GraphNode, Chain>();
    for (const node of graph.nodes) {
      const alone = ops.has(node.op) && node.outputs.length === 1;
      if (!alone) continue;
      let longest: Chain | undefined;
      for (const value of node.inputs) {
        const before = uses.producer(value);
        const chain = before && chains.get(before);
        const fits = chain && chain.nodes.length < MOST_STAGES && before.phase === node.phase;
        if (!fits || keep.has(value) || uses.users(value).length !== 1) continue;
        const stage = stageOf(ops, graph, node, value);
        if (!stage || (longest && longest.nodes.length > chain.nodes.length)) continue;
        longest = {
          nodes: [...chain.nodes, node],
          stages: [...chain.stages, stage],
          inputs: [...chain.inputs, ...node.inputs.filter((id) => id !== value)],
        };
      }
      const first = longest ? undefined : stageOf(ops, graph, node, at(node.inputs, 0));
      if (longest) for (const earlier of longest.nodes) chains.delete(earlier);
      if (longest) chains.set(node, longest);
      else if (first) chains.set(node, { nodes: [node], stages: [first], inputs: node.inputs });
    }
    const replaced = new Map<GraphNode, GraphNode | undefined>();
    for (const [last, { nodes, stages, inputs }] of chains) {
      if (nodes.length < 2) continue;
      for (const node of nodes) replaced.set(node, undefined);
      replaced.set(last, { ...last, op: 'pointwise/chain', inputs, attrs: chainAttrs(stages) });
    }
    return replaceNodes(graph, replaced);
  };

export const fuseElementwise: GraphPass = elementwiseFusion(STAGE_OPS);
