/**
 * The pass: from the forward graph of whole tensors to that of one rank. Parameters become the pieces that the plan
 * says, every operator works on the pieces that its rule says, and where a tensor is placed otherwise a collective is
 * put in. The backward pass is derived from the result, so the gradients' collectives come out of the nodes themselves.
 * Pieces are those of torch.chunk, so the graphs of ranks may differ in their shapes, never in their nodes. Called by
 * stage-graph.ts through mode.ts.
 */
import { LockstepError } from '../../../base/errors';
import { at, must } from '../../../base/invariant';
import type { Graph, GraphBuilder, GraphNode, GraphValue } from '../../../graph/graph';
import type { TensorType, ValueId } from '../../../graph/op';
import { ALL_REDUCE, IDENTITY } from '../../../graph/ops/collective';
import type { DeviceMesh } from '../../../mesh/device-mesh';
import { pieceOf, pieceShape, type TensorRegion } from '../../../sharding/piece';
import { type Placement, REPLICATE } from '../../../sharding/placement';
import { elements, formatShape } from '../../../tensor/shape';
import type { CutGraph, PartitionOf } from '../../stage-graph';
import { type Plan, placementOf } from './plan';
import { type Placed, type Rule, ruleOf } from './rules';

interface Held extends Placed {
  readonly local: ValueId;
}

export const partitionBy =
  (plan: Plan, mesh: DeviceMesh): PartitionOf =>
  (rank) => {
    const [index, count] = [mesh.coordinate(rank)[plan.axis], mesh.shape[plan.axis]];
    return {
      part: `${plan.axis} ${index}`,
      cut: (whole, builder, handedOn) => new Partitioner(plan, { index, count }, whole, builder).run(handedOn),
    };
  };

class Partitioner {
  /** By the value of the whole graph. */
  private readonly held = new Map<ValueId, Held>();

  constructor(
    private readonly plan: Plan,
    private readonly place: { readonly index: number; readonly count: number },
    private readonly whole: Graph,
    private readonly builder: GraphBuilder,
  ) {}

  run(handedOn: ValueId | undefined): CutGraph {
    const made = new Set(this.whole.nodes.flatMap(({ outputs }) => outputs));
    // Which part of a dropout mask a rank needs, the activation says.
    for (const value of this.whole.values)
      if (!made.has(value.id) && value.role !== 'mask') this.given(value, this.placementOf(value));
    for (const node of this.whole.nodes) this.node(node);
    if (handedOn !== undefined) this.checkWhole(handedOn);
    return {
      own: (id) => this.of(id).local,
      regionOf: (mask) => this.regionOf(mask),
      cutAlong: (id) => (this.of(id).placement.kind === 'shard' ? [this.plan.axis] : []),
    };
  }

  private checkWhole(id: ValueId): void {
    const { placement } = this.of(id);
    if (placement.kind === 'replicate') return;
    const { name } = at(this.whole.values, id);
    const message = `The next stage needs ${name} as Replicate(), and it is ${wordsOf(placement)}.`;
    throw new LockstepError('config', message, 'End a stage behind a rowwise layer.');
  }

  private of(id: ValueId): Held {
    return must(this.held.get(id), at(this.whole.values, id).name);
  }

  private placementOf({ name, role }: GraphValue): Placement {
    return role === 'parameter' ? placementOf(this.plan, name) : REPLICATE;
  }

  private given({ id, name, type, role }: GraphValue, placement: Placement): void {
    const local = this.builder.value(name, this.pieceType(name, type, placement), role);
    this.held.set(id, { local, placement, type });
  }

  private regionOf(mask: string): TensorRegion {
    const { id } = must(
      this.whole.values.find(({ name }) => name === mask),
      mask,
    );
    const { placement, type } = this.of(id);
    return { shape: type.shape, piece: pieceOf(type.shape, [{ placement, ...this.place }]) };
  }

  private pieceType(name: string, { shape, dtype }: TensorType, placement: Placement): TensorType {
    const pieces = Array.from({ length: this.place.count }, (_, index) =>
      pieceShape(pieceOf(shape, [{ placement, ...this.place, index }])),
    );
    if (pieces.every((piece) => elements(piece) > 0)) return { shape: at(pieces, this.place.index), dtype };
    const message = `${name} with shape ${formatShape(shape)} cannot be cut into ${pieces.length} parts.`;
    throw new LockstepError('config', message, 'Choose a size from which every tp rank gets a part.');
  }

  private node(node: GraphNode): void {
    for (const id of node.inputs) {
      const value = at(this.whole.values, id);
      if (value.role === 'mask') this.given(value, this.of(at(node.inputs, 0)).placement);
    }
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
