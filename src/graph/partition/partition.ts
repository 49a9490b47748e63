/**
 * The pass from the forward graph of whole tensors to the graph of one rank, which has pieces of some tensors. Every
 * operator works on the pieces that its rule names; if a tensor is placed differently, the pass inserts redistribution
 * nodes; sums over the ranks are completed at once. The backward pass is derived from the result, so the gradients'
 * collectives follow from the nodes. The graphs of all ranks have the same nodes and names; only shapes and attributes
 * of pieces differ. partition.property.test.ts compares the result with the whole graph.
 */
import { LockstepError } from '../../base/errors';
import { at, must } from '../../base/invariant';
import { pieceOf, pieceShape } from '../../sharding/piece';
import { PARTIAL, type Placement, REPLICATE, type Shard } from '../../sharding/placement';
import { formatShape, type Shape } from '../../tensor/shape';
import type { Graph, GraphBuilder, GraphNode, GraphPhase, GraphValue } from '../graph';
import type { Attrs, ValueId } from '../op';
import { PLACE } from '../ops/partition';
import { checkLayout } from './check-layout';
import { LateCasts } from './late-casts';
import type { Partitioned, PartitionOptions, PartOfWhole, Unasked } from './partitioned';
import { fromLast, placementOf } from './plan';
import { RankNodes } from './rank-nodes';
import { type Move, type NodeSite, redistribute } from './redistribute';
import { type PlacedInput, type Rule, samePlacement, wordsOf } from './rule';
import { ruleOf } from './rules';
import { ValueUses } from './value-uses';

interface Held {
  readonly local: ValueId;
  /** undefined: the value is not a piece of a whole value. */
  readonly placement: Placement | undefined;
}

export const partition = (whole: Graph, builder: GraphBuilder, options: PartitionOptions): Partitioned =>
  new Partitioner(whole, builder, options).run();

class Partitioner {
  /** By the value of the whole graph. */
  private readonly held = new Map<ValueId, Held>();
  /** Parameters that are redistributed before use: their values on the rank. */
  private readonly parameters = new Map<ValueId, ValueId>();
  private readonly partialGradients = new Set<string>();
  private readonly nodes: RankNodes;
  private readonly casts: LateCasts;
  private readonly uses: ValueUses;
  /**
   * Results of redistribution, by source, module and placement: a tensor that a module reads twice is redistributed
   * once.
   */
  private readonly brought = new Map<string, ValueId>();
  private readonly gathered: Unasked[] = [];
  private readonly cutToFit: Unasked[] = [];
  private readonly takenAsParts: Unasked[] = [];
  /** For each node of the whole graph, the number of nodes in the rank's graph before it. */
  private readonly starts: number[] = [];
  private readonly parts = new Map<string, PartOfWhole>();

  constructor(
    private readonly whole: Graph,
    private readonly builder: GraphBuilder,
    private readonly options: PartitionOptions,
  ) {
    this.nodes = new RankNodes(builder);
    this.casts = new LateCasts(whole);
    this.uses = new ValueUses(whole, options.wrt ?? []);
  }

  run(): Partitioned {
    const made = new Set(this.whole.nodes.flatMap(({ outputs }) => outputs));
    // A mask is cut like the tensor that it multiplies, so it is made where it is used.
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
      cutToFit: this.cutToFit,
      takenAsParts: this.takenAsParts,
      parts: this.parts,
    };
  }

  private of(id: ValueId): Held {
    return must(this.held.get(id), this.nameOf(id));
  }

  private nameOf(id: ValueId): string {
    return at(this.whole.values, id).name;
  }

  /** Adds a parameter, buffer or data value. */
  private given(value: GraphValue): void {
    const { id, name, role } = value;
    const placement = role === 'parameter' || role === 'buffer' ? placementOf(this.options.plan, name) : REPLICATE;
    this.held.set(id, { local: this.valueOf(value, placement), placement });
  }

  /**
   * A parameter that the plan redistributes before use, such as a position embedding: each rank looks up all positions,
   * with its own rows in place and zeros for the others, and the ranks' tables are added.
   */
  private lookedUp({ id, name, type, role }: GraphValue, site: NodeSite): void {
    const wanted = this.options.plan.values.get(name);
    const { local, placement } = this.of(id);
    if (role !== 'parameter' || wanted === undefined || this.parameters.has(id)) return;
    this.parameters.set(id, local);
    const byRows = placement?.kind === 'shard' && placement.dim === 0;
    const attrs = byRows ? { ...this.layoutOf(type.shape, placement), index: this.options.rank.index } : {};
    const used = byRows ? at(this.nodes.apply(PLACE, [local], attrs, site, [`${name}.addend`]), 0) : local;
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
    if (this.casts.has(node)) return;
    const site = this.site(node.module, node.phase);
    for (const id of node.inputs.map((each) => this.casts.sourceOf(each)))
      if (this.held.has(id)) this.lookedUp(at(this.whole.values, id), site);
    const rule = this.ruleOf(node);
    const inputs = node.inputs.map((id, i) => this.input(node, rule, id, i));
    if (rule.build) {
      const local = rule.build(this.nodes.forRule(site), inputs);
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
    // The bias is added after the sum. One rank adds it before the sum if the sum is scattered over the ranks, or in
    // half precision, where torch rounds product and bias once.
    const isEarly = wanted[0]?.kind === 'shard' || halves[0] !== undefined;
    const late = isEarly ? undefined : rule.addedOnce?.input;
    const operands = inputs.flatMap((id, i) => (i === late ? [] : [this.nodes.operand(rule, id, i, site)]));
    // Running statistics are overwritten.
    const into = node.outputs.map((id) => this.held.get(id)?.local);
    const { module, phase } = site;
    const outputs = this.builder.apply(node.op, operands, attrs, { module, phase, names, into, halves });
    const made = at(types, 0);
    if (made.name === `${node.module}.out`) checkLayout(this.options.plan, 'output', node.module, made, rule.gives[0]);
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
      const local = late === undefined ? sum : this.nodes.plusBias(sum, at(inputs, late), after, site, name);
      this.held.set(id, { local: this.part(local, { shape: type.shape, placement: to }), placement: to });
    }
  }

  /** Records which part of a whole tensor the rank's value is, if it is not the whole. */
  private part(local: ValueId, part: PartOfWhole): ValueId {
    if (part.placement.kind !== 'replicate') this.parts.set(this.builder.nameOf(local), part);
    return local;
  }

  private ruleOf({ op, inputs, outputs, attrs, module }: GraphNode): Rule {
    const { plan, rank } = this.options;
    const placed = inputs.map((given, i): PlacedInput => {
      const id = this.casts.sourceOf(given);
      const { type, role } = at(this.whole.values, id);
      const taken = this.takenInBy(module, id, i);
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

  /** Whether operand `i` of a node is the input of the node's module. */
  private isModuleInput(module: string, id: ValueId, i: number): boolean {
    return i === 0 && this.uses.makerOf(id) !== module && at(this.whole.values, id).role !== 'parameter';
  }

  /** The plan's placement of the module's input, if operand `i` is the input. */
  private takenInBy(module: string, id: ValueId, i: number): Placement | undefined {
    if (!this.isModuleInput(module, id, i)) return undefined;
    return fromLast(this.options.plan.inputs.get(module), at(this.whole.values, id).type.shape);
  }

  /**
   * The rank's value for an input of a node. A tensor is redistributed first and then cast, because torch redistributes
   * a module's inputs before autocast casts them. So the messages of its gradient are float32.
   */
  private input(node: GraphNode, rule: Rule, given: ValueId, i: number): ValueId {
    const moved = this.moved(node, rule, given, i);
    const made = this.casts.apply(given, moved, this.builder);
    return this.part(made, { shape: at(this.whole.values, given).type.shape, placement: at(rule.needs, i) });
  }

  private moved(node: GraphNode, rule: Rule, given: ValueId, i: number): ValueId {
    const needed = at(rule.needs, i);
    const id = this.casts.sourceOf(given);
    const value = at(this.whole.values, id);
    if (value.role === 'mask' && !this.held.has(id))
      this.held.set(id, { local: this.valueOf(value, needed), placement: needed });
    const { local, placement: held } = this.of(id);
    const placement = must(held, `the placement of ${value.name}`);
    const { module, op } = node;
    if (this.isModuleInput(module, id, i)) checkLayout(this.options.plan, 'input', module, value, placement);
    const takenIn = this.takenInBy(module, id, i);
    const asked = rule.gathersRowsOf === i || takenIn !== undefined;
    if (placement.kind === 'replicate' && takenIn?.kind === 'shard')
      this.takenAsParts.push({ module, op, value: value.name, placement: takenIn });
    if (placement.kind === 'shard' && !samePlacement(placement, needed) && !asked)
      this.gathered.push({ module, op, value: value.name, placement });
    const isSum = op === 'ops/add' && value.role !== 'parameter';
    if (placement.kind === 'replicate' && needed.kind === 'shard' && isSum && !asked)
      this.cutToFit.push({ module, op, value: value.name, placement: needed });
    const partialGradient = this.isPartial(rule, id, i);
    const isUsedOnce = this.uses.readersOf(id) === 1 && this.uses.readersOf(given) === 1;
    if (partialGradient && value.role === 'parameter' && placement.kind === 'replicate' && isUsedOnce) {
      this.partialGradients.add(value.name);
      return local;
    }
    const move = { from: placement, to: needed, shape: value.type.shape, partialGradient };
    const key = `${local} ${module} ${wordsOf(needed)} ${partialGradient}`;
    const moved =
      this.brought.get(key) ?? redistribute(this.site(module, node.phase), local, move, `${value.name}.for.${module}`);
    this.brought.set(key, moved);
    return this.part(moved, { shape: value.type.shape, placement: needed });
  }

  /** Whether every rank uses the whole input for a different part of the result. */
  private isPartial({ needs, gives, addedOnce }: Rule, id: ValueId, i: number): boolean {
    if (at(needs, i).kind === 'shard' || addedOnce?.input === i || !this.uses.isDifferentiated(id)) return false;
    return gives.some((given) => given !== undefined && given.kind !== 'replicate');
  }

  private layoutOf(shape: Shape, { dim, splitFactor }: Shard): Attrs {
    return { shape, dim, ranks: this.options.rank.count, splitFactor };
  }

  private site(module: string, phase: GraphPhase): NodeSite {
    const { plan, rank } = this.options;
    return { builder: this.builder, axis: plan.axis, rank, module, phase };
  }
}
