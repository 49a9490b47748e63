/**
 * The pass: from the forward graph of whole tensors to that of one rank, which has pieces of some of them. Every
 * operator works on the pieces that its rule says; where a tensor is placed otherwise, redistribution nodes are put in;
 * a sum over the ranks is completed at once. The backward pass is derived from the result, so the gradients'
 * collectives come out of the nodes themselves. The graphs of all ranks have the same nodes and names, and differ in
 * shapes and attributes where pieces differ. Held against the whole graph by partition.property.test.ts.
 */
import { LockstepError } from '../../base/errors';
import { at, must } from '../../base/invariant';
import { pieceOf, pieceShape } from '../../sharding/piece';
import { PARTIAL, type Placement, REPLICATE, type Shard } from '../../sharding/placement';
import { formatShape, type Shape } from '../../tensor/shape';
import { CAST } from '../cast';
import type { Graph, GraphBuilder, GraphNode, GraphPhase, GraphValue } from '../graph';
import type { Attrs, ValueId } from '../op';
import { ALL_REDUCE } from '../ops/collective';
import { FIRST, PLACE } from '../ops/partition';
import { type LayoutsOf, type Plan, placementOf } from './plan';
import { type Move, type NodeSite, redistribute } from './redistribute';
import { type LocalBuilder, type PlacedInput, type RankOnAxis, type Rule, samePlacement, wordsOf } from './rule';
import { ruleOf } from './rules';

export interface Partitioned {
  /** Of a value of the whole graph, the rank's. */
  readonly own: (value: ValueId) => ValueId;
  /** How many nodes the rank has for the first `count` nodes of the whole graph. */
  readonly nodesFor: (count: number) => number;
  /** Of values of the whole graph, by name; without the statistics that a node keeps for its gradient. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** Of the rank's values, by their names: those that are a piece or an addend of a whole tensor. */
  readonly parts: ReadonlyMap<string, PartOfWhole>;
  /** Parameters whose gradient is an addend on every rank, as that of a layer norm of cut rows. */
  readonly partialGradients: ReadonlySet<string>;
  /** Tensors that were cut and are gathered for an operator, though the plan did not ask for it. */
  readonly gathered: readonly Gathered[];
}

export interface Gathered {
  readonly module: string;
  readonly op: string;
  readonly value: string;
  readonly placement: Placement;
}

/** Of a whole tensor of this shape. */
export interface PartOfWhole {
  readonly shape: Shape;
  readonly placement: Placement;
}

interface Held {
  readonly local: ValueId;
  /** undefined: no piece of the whole value. */
  readonly placement: Placement | undefined;
}

export interface PartitionOptions {
  readonly plan: Plan;
  readonly rank: RankOnAxis;
  /** Values of the whole graph, beside parameters, of which somebody asks the gradient. */
  readonly wrt?: readonly ValueId[];
  /** A value of the whole graph that every rank hands on whole, as what a pipeline stage sends. */
  readonly wholeOutput?: ValueId | undefined;
}

export const partition = (whole: Graph, builder: GraphBuilder, options: PartitionOptions): Partitioned =>
  new Partitioner(whole, builder, options).run();

class Partitioner {
  /** By the value of the whole graph. */
  private readonly held = new Map<ValueId, Held>();
  /** Whose gradient is asked for, or needed on the way. */
  private readonly differentiated: Set<ValueId>;
  /** Parameters that are not used as they are: where they are. */
  private readonly parameters = new Map<ValueId, ValueId>();
  private readonly partialGradients = new Set<string>();
  /** The module that makes a value. */
  private readonly maker = new Map<ValueId, string>();
  /** By the result of a cast to or from half precision: the cast. */
  private readonly casts = new Map<ValueId, GraphNode>();
  /** By what a rank has and the format: what it has cast that to. */
  private readonly castOf = new Map<string, ValueId>();
  /** Nodes that take a value in. */
  private readonly uses = new Map<ValueId, number>();
  private readonly gathered: Gathered[] = [];
  /** By node of the whole graph: how many the rank's graph had before. */
  private readonly starts: number[] = [];
  private readonly parts = new Map<string, PartOfWhole>();

  constructor(
    private readonly whole: Graph,
    private readonly builder: GraphBuilder,
    private readonly options: PartitionOptions,
  ) {
    const { nodes, values } = whole;
    this.differentiated = new Set([
      ...(options.wrt ?? []),
      ...values.flatMap(({ id, role }) => (role === 'parameter' ? [id] : [])),
    ]);
    for (const { inputs, outputs, module } of nodes) {
      const differentiated = inputs.some((id) => this.differentiated.has(id));
      for (const id of outputs) {
        if (differentiated) this.differentiated.add(id);
        this.maker.set(id, module);
      }
      for (const id of new Set(inputs)) this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
    }
  }

  run(): Partitioned {
    const made = new Set(this.whole.nodes.flatMap(({ outputs }) => outputs));
    // Masks are cut like what they multiply, so they are made where they are used.
    for (const value of this.whole.values)
      if (value.role === 'buffer' || (value.role !== 'mask' && !made.has(value.id))) this.given(value);
    for (const node of this.whole.nodes) {
      this.starts.push(this.builder.size);
      this.node(node);
    }
    const end = this.builder.size;
    return {
      own: (id) => this.parameters.get(id) ?? this.of(id).local,
      placements: new Map(
        [...this.held].flatMap(([id, { placement }]) => (placement ? [[this.nameOf(id), placement] as const] : [])),
      ),
      nodesFor: (count) => this.starts[count] ?? end,
      partialGradients: this.partialGradients,
      gathered: this.gathered,
      parts: this.parts,
    };
  }

  private of(id: ValueId): Held {
    return must(this.held.get(id), this.nameOf(id));
  }

  private nameOf(id: ValueId): string {
    return at(this.whole.values, id).name;
  }

  /** Parameters, buffers and data. */
  private given(value: GraphValue): void {
    const { id, name, role } = value;
    const placement = role === 'parameter' || role === 'buffer' ? placementOf(this.options.plan, name) : REPLICATE;
    this.held.set(id, { local: this.valueOf(value, placement), placement });
  }

  /**
   * A parameter that the plan brings elsewhere before it is used, as the rows of an embedding of positions: each rank
   * looks up all positions, has its own rows at their places and zeros for the others, and the ranks' tables are added.
   */
  private lookedUp({ id, name, type, role }: GraphValue, site: NodeSite): void {
    const wanted = this.options.plan.values.get(name);
    const { local, placement } = this.of(id);
    if (role !== 'parameter' || wanted === undefined || this.parameters.has(id)) return;
    this.parameters.set(id, local);
    const byRows = placement?.kind === 'shard' && placement.dim === 0;
    const attrs = byRows ? { ...this.layoutOf(type.shape, placement), index: this.options.rank.index } : {};
    const used = byRows ? at(this.apply(PLACE, [local], attrs, site, [`${name}.addend`]), 0) : local;
    const from = byRows ? PARTIAL : must(placement, name);
    const move = { from, to: wanted, shape: type.shape, partialGradient: false };
    const made = redistribute(site, used, move, `${name}.used`);
    this.part(used, { shape: type.shape, placement: from });
    this.part(made, { shape: type.shape, placement: wanted });
    this.held.set(id, { local: made, placement: wanted });
  }

  private valueOf({ name, type, role, half }: GraphValue, placement: Placement): ValueId {
    const { rank } = this.options;
    const shape = pieceShape(pieceOf(type.shape, [{ placement, ...rank }]));
    if (shape.every((length) => length > 0))
      return this.part(this.builder.value(name, { ...type, shape }, role, half), { shape: type.shape, placement });
    const [whole, axis] = [formatShape(type.shape), this.options.plan.axis];
    throw new LockstepError(
      'config',
      `${name} has the shape ${whole} and is cut by ${wordsOf(placement)} for ${rank.count} ${axis} ranks, which leaves rank ${rank.index} without a part.`,
      'Choose fewer ranks for this axis, or leave this module out of the plan.',
    );
  }

  private node(node: GraphNode): void {
    if (node.op === CAST) {
      for (const id of node.outputs) this.casts.set(id, node);
      return;
    }
    const site = this.site(node.module, node.phase);
    for (const id of node.inputs.map((each) => this.castFrom(each)))
      if (this.held.has(id)) this.lookedUp(at(this.whole.values, id), site);
    const rule = this.ruleOf(node);
    const inputs = node.inputs.map((id, i) => this.input(node, rule, id, i));
    if (rule.build) {
      const local = rule.build(this.localBuilder(site), inputs);
      for (const [k, id] of node.outputs.entries())
        this.held.set(id, { local: at(local, Math.min(k, local.length - 1)), placement: rule.gives[k] });
      return;
    }
    const types = node.outputs.map((id) => at(this.whole.values, id));
    const wanted = types.map(({ id, name, type }) =>
      id === this.options.wholeOutput ? REPLICATE : fromLast(this.options.plan.values.get(name), type.shape),
    );
    const summed = rule.gives.some((given) => given?.kind === 'partial');
    const names = types.map(({ name }, k) => {
      const [given, to] = [rule.gives[k], wanted[k]];
      const moves = summed || (given !== undefined && to !== undefined && !samePlacement(given, to));
      return moves ? `${name}.${summed ? 'addend' : 'piece'}` : name;
    });
    const attrs = rule.attrsOn?.(this.options.rank) ?? node.attrs;
    const halves = types.map(({ half }) => half);
    // The bias is added after the sum. One rank adds it before where the sum is scattered over the ranks, and in half
    // precision, where torch rounds the product and its bias once.
    const isEarly = wanted[0]?.kind === 'shard' || halves[0] !== undefined;
    const late = isEarly ? undefined : rule.addedOnce?.input;
    const operands = inputs.flatMap((id, i) => (i === late ? [] : [this.operand(rule, id, i, site)]));
    // Running statistics are overwritten.
    const into = node.outputs.map((id) => this.held.get(id)?.local);
    const outputs = this.builder.apply(node.op, operands, attrs, { ...placementAt(site), names, into, halves });
    const [made] = types;
    if (made?.name === `${node.module}.out`) this.checkLayout('output', node.module, made, rule.gives[0]);
    for (const [k, id] of node.outputs.entries()) {
      const from = rule.gives[k];
      if (from === undefined) {
        this.held.set(id, { local: at(outputs, k), placement: from });
        continue;
      }
      const to = wanted[k] ?? (from.kind === 'partial' ? REPLICATE : from);
      const { name, type } = at(types, k);
      const move: Move = { from, to, shape: type.shape, partialGradient: false };
      this.part(at(outputs, k), { shape: type.shape, placement: from });
      const sum = redistribute(site, at(outputs, k), move, late === undefined ? name : `${name}.sum`);
      const after = type.shape.length - 1 - (rule.addedOnce?.dim ?? 0);
      const local = late === undefined ? sum : this.plusBias(sum, at(inputs, late), after, site, name);
      this.held.set(id, { local: this.part(local, { shape: type.shape, placement: to }), placement: to });
    }
  }

  /** Notes what the rank's value is of a whole tensor, where it is not the whole. */
  private part(local: ValueId, part: PartOfWhole): ValueId {
    if (part.placement.kind !== 'replicate') this.parts.set(this.builder.nameOf(local), part);
    return local;
  }

  private localBuilder(site: NodeSite): LocalBuilder {
    const { rank, plan } = this.options;
    return {
      rank,
      apply: (op, inputs, attrs, names) => this.apply(op, inputs, attrs, site, names),
      allReduce: (value, reduceOp, name) => {
        const attrs = { axis: plan.axis, ...(reduceOp === 'max' ? { reduceOp } : {}) };
        return at(this.apply(ALL_REDUCE, [value], attrs, site, [name]), 0);
      },
    };
  }

  private ruleOf({ op, inputs, outputs, attrs, module }: GraphNode): Rule {
    const { plan, rank } = this.options;
    const placed = inputs.map((given, i): PlacedInput => {
      const id = this.castFrom(given);
      const { type, role } = at(this.whole.values, id);
      const taken = i === 0 ? this.takenInBy(module, id) : undefined;
      return { placement: taken ?? this.held.get(id)?.placement ?? REPLICATE, type, role };
    });
    const types = outputs.map((id) => at(this.whole.values, id).type);
    return ruleOf(op, {
      inputs: placed,
      outputs: types,
      attrs,
      count: rank.count,
      lossParallel: plan.lossParallel === true,
    });
  }

  /** What the plan says of the module's input, where this value is one. */
  private takenInBy(module: string, id: ValueId): Placement | undefined {
    if (this.maker.get(id) === module) return undefined;
    return fromLast(this.options.plan.inputs.get(module), at(this.whole.values, id).type.shape);
  }

  /** torch takes the plan's word for how a tensor lies, and takes a part for the whole where that is wrong. */
  private checkLayout(side: keyof LayoutsOf, module: string, { type }: GraphValue, held: Placement | undefined): void {
    const said = fromLast(this.options.plan.layouts?.get(module)?.[side], type.shape);
    const lies = held?.kind === 'partial' ? REPLICATE : held;
    if (said === undefined || lies === undefined || samePlacement(said, lies)) return;
    const name = `${side}Layouts`;
    throw new LockstepError(
      'config',
      `${name} of ${module} is ${wordsOf(said)}, but the ranks hold ${wordsOf(lies)}: torch does not check that, and each rank would take its tensor for another one.`,
      `Leave ${name} out, or write how the ranks hold the tensor.`,
    );
  }

  /** The value that a cast was made of; of other values, themselves. */
  private castFrom(id: ValueId): ValueId {
    return this.casts.get(id)?.inputs[0] ?? id;
  }

  /**
   * What a rank has for an input of a node. A tensor is cast after it has been brought where it is needed: torch
   * redistributes a module's inputs before autocast casts them. So the messages of its gradient are float32.
   */
  private input(node: GraphNode, rule: Rule, given: ValueId, i: number): ValueId {
    const moved = this.moved(node, rule, given, i);
    const cast = this.casts.get(given);
    return cast ? this.cast(moved, cast, at(rule.needs, i)) : moved;
  }

  private cast(value: ValueId, { attrs, module, phase, outputs }: GraphNode, placement: Placement): ValueId {
    const { name, half, type } = at(this.whole.values, at(outputs, 0));
    const key = `${value} ${half}`;
    const known = this.castOf.get(key);
    if (known !== undefined) return known;
    const made = at(this.builder.apply(CAST, [value], attrs, { module, phase, names: [name], halves: [half] }), 0);
    this.castOf.set(key, made);
    return this.part(made, { shape: type.shape, placement });
  }

  private moved(node: GraphNode, rule: Rule, given: ValueId, i: number): ValueId {
    const needed = at(rule.needs, i);
    const id = this.castFrom(given);
    const value = at(this.whole.values, id);
    if (value.role === 'mask' && !this.held.has(id))
      this.held.set(id, { local: this.valueOf(value, needed), placement: needed });
    const { local, placement: held } = this.of(id);
    const placement = must(held, `the placement of ${value.name}`);
    const { module, op } = node;
    if (i === 0 && this.maker.get(id) !== module) this.checkLayout('input', module, value, placement);
    const asked = rule.gathersRowsOf === i || (i === 0 && this.takenInBy(module, id) !== undefined);
    if (placement.kind === 'shard' && !samePlacement(placement, needed) && !asked)
      this.gathered.push({ module, op, value: value.name, placement });
    const partialGradient = this.isPartial(rule, id, i);
    const isUsedOnce = this.uses.get(id) === 1 && this.uses.get(given) === 1;
    if (partialGradient && value.role === 'parameter' && placement.kind === 'replicate' && isUsedOnce) {
      this.partialGradients.add(value.name);
      return local;
    }
    const move = { from: placement, to: needed, shape: value.type.shape, partialGradient };
    const moved = redistribute(this.site(module, node.phase), local, move, `${value.name}.for.${node.module}`);
    return this.part(moved, { shape: value.type.shape, placement: needed });
  }

  /** Every rank uses the whole input for a part of its own. */
  private isPartial({ needs, gives, addedOnce }: Rule, id: ValueId, i: number): boolean {
    if (at(needs, i).kind === 'shard' || addedOnce?.input === i || !this.differentiated.has(id)) return false;
    return gives.some((given) => given !== undefined && given.kind !== 'replicate');
  }

  private operand({ addedOnce }: Rule, id: ValueId, i: number, site: NodeSite): ValueId {
    if (addedOnce?.input !== i) return id;
    const name = this.builder.nameOf(id);
    return at(this.apply(FIRST, [id], { index: this.options.rank.index }, site, [`${name}.once`]), 0);
  }

  /** `after`: dimensions of the sum behind the one that the bias lies along. */
  private plusBias(sum: ValueId, bias: ValueId, after: number, site: NodeSite, name: string): ValueId {
    const [length = 1] = this.builder.typeOf(bias).shape;
    const repeated = [length, ...Array.from({ length: after }, () => 1)];
    const spread =
      after === 0 ? bias : at(this.apply('shape/reshape', [bias], { shape: repeated }, site, [`${name}.bias`]), 0);
    return at(this.apply('ops/add', [sum, spread], {}, site, [name]), 0);
  }

  private apply(op: string, inputs: readonly ValueId[], attrs: Attrs, site: NodeSite, names: readonly string[]) {
    // The result has the type of what it is made of.
    const halves = inputs.slice(0, 1).map((id) => this.builder.halfOf(id));
    return this.builder.apply(op, inputs, attrs, { ...placementAt(site), names, halves });
  }

  private layoutOf(shape: Shape, { dim, splitFactor }: Shard): Attrs {
    return { shape, dim, ranks: this.options.rank.count, splitFactor };
  }

  private site(module: string, phase: GraphPhase): NodeSite {
    const { plan, rank } = this.options;
    return { builder: this.builder, axis: plan.axis, rank, module, phase };
  }
}

/** A cut at a dimension that is counted from the last one, as the dimension of this shape. */
const fromLast = (placement: Placement | undefined, { length }: Shape): Placement | undefined =>
  placement?.kind === 'shard' && placement.dim < 0 ? { ...placement, dim: placement.dim + length } : placement;

const placementAt = ({ module, phase }: NodeSite) => ({ module, phase });
