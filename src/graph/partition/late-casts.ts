/**
 * Casts to and from half precision, which the pass partition.ts delays: a rank casts a tensor after it has
 * redistributed the tensor for an operator. As in the whole graph, each cast node makes its own tensor.
 */
import { at } from '../../base/invariant';
import { CAST } from '../cast';
import type { Graph, GraphBuilder, GraphNode } from '../graph';
import type { ValueId } from '../op';

export class LateCasts {
  /** By the value that the cast makes in the whole graph. */
  private readonly nodes: ReadonlyMap<ValueId, GraphNode>;
  /** Results on the rank, by the whole graph's value and by the rank's value that is cast. */
  private readonly made = new Map<string, ValueId>();

  constructor(private readonly whole: Graph) {
    this.nodes = new Map(
      whole.nodes.flatMap((node) => (node.op === CAST ? node.outputs.map((id) => [id, node] as const) : [])),
    );
  }

  has({ op }: GraphNode): boolean {
    return op === CAST;
  }

  /** The value that the cast reads, if a cast makes `id`; otherwise `id` itself. */
  sourceOf(id: ValueId): ValueId {
    return this.nodes.get(id)?.inputs[0] ?? id;
  }

  /** `value`: the rank's part of the source of `id`. Returns the rank's value for `id`, cast if a cast makes `id`. */
  apply(id: ValueId, value: ValueId, builder: GraphBuilder): ValueId {
    const node = this.nodes.get(id);
    if (!node) return value;
    const key = `${id} ${value}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const { name, half } = at(this.whole.values, id);
    const { attrs, module, phase } = node;
    const made = at(builder.apply(CAST, [value], attrs, { module, phase, names: [name], halves: [half] }), 0);
    this.made.set(key, made);
    return made;
  }
}
