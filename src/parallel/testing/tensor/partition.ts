/**
 * The pass: from the forward graph of whole tensors to that of one rank. Parameters become the pieces that the plan
 * says, every operator works on the pieces that its rule says, and where a tensor is placed otherwise a collective is
 * put in. The backward pass is derived from the result, so the gradients' collectives come out of the nodes themselves.
 * Pieces are of one size here: the graph of all ranks is the same. Called by stage-graph.ts through mode.ts.
 */
import { LockstepError } from '../../../base/errors';
import { at, must } from '../../../base/invariant';
import type { Graph, GraphBuilder, GraphNode, GraphValue } from '../../../graph/graph';
import type { TensorType, ValueId } from '../../../graph/op';
import { ALL_REDUCE, IDENTITY } from '../../../graph/ops/collective';
import { pieceOf, pieceShape } from '../../../sharding/piece';
import { type Placement, REPLICATE } from '../../../sharding/placement';
import { formatShape } from '../../../tensor/shape';
import type { Partition } from '../../stage-graph';
import { type Plan, placementOf } from './plan';
import { type Placed, type Rule, ruleOf } from './rules';

interface Held extends Placed {
  readonly local: ValueId;
}

export const partitionBy =
  (plan: Plan, ranks: number): Partition =>
  (whole, builder) =>
    new Partitioner(plan, ranks, whole, builder).run();

class Partitioner {
  /** By the value of the whole graph. */
  private readonly held = new Map<ValueId, Held>();

  constructor(
    private readonly plan: Plan,
    private readonly ranks: number,
    private readonly whole: Graph,
    private readonly builder: GraphBuilder,
  ) {}

  run(): (id: ValueId) => ValueId {
    const made = new Set(this.whole.nodes.flatMap(({ outputs }) => outputs));
    for (const value of this.whole.values) if (!made.has(value.id)) this.given(value);
    for (const node of this.whole.nodes) this.node(node);
    return (id) => this.of(id).local;
  }

  private of(id: ValueId): Held {
    return must(this.held.get(id), at(this.whole.values, id).name);
  }

  private given({ id, name, type, role }: GraphValue): void {
    const placement = role === 'parameter' ? placementOf(this.plan, name) : REPLICATE;
    const local = this.builder.value(name, this.pieceType(name, type, placement), role);
    this.held.set(id, { local, placement, type });
  }

  private pieceType(name: string, { shape, dtype }: TensorType, placement: Placement): TensorType {
    const { ranks: count } = this;
    const even = placement.kind !== 'shard' || at(shape, placement.dim) % count === 0;
    if (even) return { shape: pieceShape(pieceOf(shape, [{ placement, index: 0, count }])), dtype };
    const message = `${name} with shape ${formatShape(shape)} cannot be cut into ${count} equal parts.`;
    throw new LockstepError('config', message, 'Choose a size that the number of tp ranks divides.');
  }

  private node(node: GraphNode): void {
    const inputs = node.inputs.map((id) => this.of(id));
    const rule = ruleOf(node.op, inputs);
    const needed = inputs.map((input, i) => this.needed(input, rule, i, node));
    const names = node.outputs.map((id) => at(this.whole.values, id).name);
    const outputs =
      rule.output.kind === 'partial' ? [this.summed(node, rule, needed, names)] : this.applied(node, needed, names);
    const placement = rule.output.kind === 'partial' ? REPLICATE : rule.output;
    for (const [k, id] of node.outputs.entries()) {
      const { type } = at(this.whole.values, id);
      this.held.set(id, { local: at(outputs, k), placement, type });
    }
  }

  private applied(
    { op, attrs, module, phase, outputs }: GraphNode,
    inputs: readonly ValueId[],
    names: readonly string[],
  ) {
    // Running statistics are overwritten.
    const into = outputs.map((id) => this.held.get(id)?.local);
    return this.builder.apply(op, inputs, attrs, { module, phase, names, into });
  }

  /** Each rank's part of the sum, the sum, and what is added to it once. */
  private summed(
    node: GraphNode,
    { addedOnce }: Rule,
    inputs: readonly ValueId[],
    [name = '']: readonly string[],
  ): ValueId {
    const addends = inputs.filter((_, i) => i !== addedOnce);
    const part = at(this.applied({ ...node, outputs: [] }, addends, [`${name}.part`]), 0);
    const last = addedOnce === undefined;
    const sum = this.collective(ALL_REDUCE, part, last ? name : `${name}.sum`, node);
    if (last) return sum;
    const placement = { module: node.module, phase: node.phase, names: [name] };
    return at(this.builder.apply('ops/add', [sum, at(inputs, addedOnce)], {}, placement), 0);
  }

  private needed({ local, placement }: Held, rule: Rule, i: number, node: GraphNode): ValueId {
    const wanted = at(rule.needs, i);
    if (!samePlacement(placement, wanted)) {
      const message = `${node.op} of module ${node.module} needs input ${i} as ${wordsOf(wanted)}, and it is ${wordsOf(placement)}.`;
      throw new LockstepError('config', message, 'Follow a colwise layer by a rowwise one.');
    }
    if (!rule.partialGradients?.includes(i)) return local;
    const { name } = at(this.whole.values, at(node.inputs, i));
    return this.collective(IDENTITY, local, `${name}.copy`, node);
  }

  private collective(op: string, input: ValueId, name: string, { module, phase }: GraphNode): ValueId {
    return at(this.builder.apply(op, [input], { axis: this.plan.axis }, { module, phase, names: [name] }), 0);
  }
}

const samePlacement = (a: Placement, b: Placement): boolean => wordsOf(a) === wordsOf(b);

/** As torch prints placements. */
const wordsOf = (placement: Placement): string =>
  placement.kind === 'shard'
    ? `Shard(${placement.dim})`
    : placement.kind === 'replicate'
      ? 'Replicate()'
      : placement.kind;
