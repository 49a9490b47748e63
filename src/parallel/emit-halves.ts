/**
 * Tensors in half precision as instructions. Kernels compute in float32, so an operator's result is rounded right after
 * it (`precision/round`). A result that backward reads is also packed into halves, two to a word: the float32 buffer
 * ends with the forward pass, and backward unpacks another one under the same name. What is kept between the passes, and
 * what crosses to another rank, has half the bytes. Called where nodes are emitted.
 */
import { at } from '../base/invariant';
import type { Graph, GraphNode, GraphValue } from '../graph/graph';
import { halfWords } from '../graph/ops/precision/half-words';
import type { LaneBuilder, Where } from '../program/lane-builder';

/** The buffer of the halves. */
export const packedName = (value: string): string => `${value}.halves`;

/** The forward and the backward nodes of one lane, as they are emitted. */
export class HalfValues {
  /** By graph: what the forward pass makes (or is given) in half precision and backward reads. */
  readonly #kept = new Map<Graph, ReadonlySet<string>>();
  /** Of what is kept, that which this backward pass has unpacked. */
  readonly #unpacked = new Set<string>();

  constructor(private readonly lane: LaneBuilder) {}

  /** What the lane does next is another pass: it reads what was kept. */
  startPass(): void {
    this.#unpacked.clear();
  }

  /** Before a backward node: what it reads becomes float32. */
  before(graph: Graph, node: GraphNode, where: Where): void {
    if (node.phase !== 'backward') return;
    const kept = this.#keptIn(graph);
    for (const id of new Set(node.inputs)) {
      const value = at(graph.values, id);
      if (!value.half || !kept.has(value.name) || this.#unpacked.has(value.name)) continue;
      this.#unpacked.add(value.name);
      this.lane.renew(value.name);
      const attrs = { format: value.half, shape: value.type.shape };
      this.lane.compute('precision/unpack', [packedName(value.name)], [value.name], attrs, where);
    }
  }

  /** After a node: its results are rounded, and kept if backward reads them. */
  after(graph: Graph, node: GraphNode, where: Where): void {
    const kept = this.#keptIn(graph);
    for (const id of node.outputs) {
      const value = at(graph.values, id);
      if (!value.half) continue;
      if (node.phase !== 'backward' && kept.has(value.name)) this.#pack(value, where);
      else if (node.op !== 'precision/cast')
        this.lane.compute('precision/round', [value.name], [value.name], { format: value.half }, where);
    }
  }

  #pack({ name, type, half }: GraphValue, where: Where): void {
    const words = packedName(name);
    const spec = { name: words, shape: halfWords(type.shape), dtype: 'i32', persistent: false } as const;
    this.lane.buffer({ ...spec, category: 'activation' }, { shared: false });
    this.lane.compute('precision/pack', [name], [name, words], { format: half ?? '' }, where);
  }

  #keptIn(graph: Graph): ReadonlySet<string> {
    const known = this.#kept.get(graph);
    if (known) return known;
    const read = new Set(graph.nodes.flatMap(({ phase, inputs }) => (phase === 'backward' ? inputs : [])));
    const made = graph.nodes.flatMap(({ phase, outputs }) => (phase === 'backward' ? [] : outputs));
    const kept = new Set(
      made.flatMap((id) => {
        const { half, name } = at(graph.values, id);
        return half && read.has(id) ? [name] : [];
      }),
    );
    this.#kept.set(graph, kept);
    return kept;
  }
}
