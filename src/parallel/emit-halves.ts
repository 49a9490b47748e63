/**
 * Tensors in half precision as instructions. Kernels compute in float32, so an operator's result is rounded right after
 * it (`precision/round`). A result that backward reads is also packed into halves, two per word: the float32 buffer
 * ends with the forward pass, and backward unpacks the halves into a new buffer of the same name. So tensors that are
 * kept between the passes or sent to another rank have half the bytes. Weights, gradients and running statistics are
 * stored as halves, too (stored.ts): an operator computes with float32 copies of them, which live as long as it runs.
 * Called wherever nodes are emitted.
 */
import { at, must } from '../base/invariant';
import { CAST } from '../graph/cast';
import type { Graph, GraphNode, GraphValue } from '../graph/graph';
import { isCollective } from '../graph/ops/collective';
import { halfWords } from '../graph/ops/precision/half-words';
import type { HalfTensor } from '../program/instruction';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { HalfFormat } from '../tensor/half-bits';
import type { Shape } from '../tensor/shape';

/** Name of the buffer that holds the halves. */
export const packedName = (value: string): string => `${value}.halves`;

/** The spec of the words that hold a tensor in half precision. */
export const packedSpec = (name: string, shape: Shape, format: HalfFormat) =>
  ({
    name: packedName(name),
    shape: halfWords(shape),
    dtype: 'i32',
    persistent: false,
    halves: { format, shape },
  }) as const;

export function declarePacked(lane: LaneBuilder, { name, type, half }: GraphValue): string {
  const spec = packedSpec(name, type.shape, must(half, name));
  lane.buffer({ ...spec, category: 'activation' }, { shared: false });
  return spec.name;
}

function pack(lane: LaneBuilder, value: GraphValue, where: Where): void {
  const words = declarePacked(lane, value);
  lane.compute('precision/pack', [value.name], [value.name, words], { format: value.half ?? '' }, where);
}

function unpack(lane: LaneBuilder, { name, type, half }: GraphValue, where: Where): void {
  const attrs = { format: half ?? '', shape: type.shape };
  lane.compute('precision/unpack', [packedName(name)], [name], attrs, where);
}

const valueIn = ({ values }: Graph, name: string): GraphValue =>
  must(
    values.find((value) => value.name === name),
    name,
  );

/** The buffer that the lane sends for a tensor of the graph: its halves, if it is in half precision. */
export function leavingBuffer(lane: LaneBuilder, graph: Graph, name: string, where: Where): string {
  const value = valueIn(graph, name);
  if (!value.half) return name;
  if (!lane.hasOwn(packedName(name))) pack(lane, value, where);
  return packedName(name);
}

/** The buffer into which the lane receives a tensor of the graph. */
export function arrivingBuffer(lane: LaneBuilder, graph: Graph, name: string): string {
  const value = valueIn(graph, name);
  return value.half ? declarePacked(lane, value) : name;
}

/** Unpacks received halves to float32. */
export function unpackArrived(lane: LaneBuilder, graph: Graph, name: string, where: Where): void {
  const value = valueIn(graph, name);
  if (value.half) unpack(lane, value, where);
}

/** Name of the float32 copy of a stored tensor: '0.weight.f32', '0.weight.f32.grad'. */
const copyName = (name: string): string => name.replace(/(\.grad)?$/, '.f32$1');

/** Declares a new float32 copy of a stored tensor, without contents; returns its name. */
function newCopy(lane: LaneBuilder, name: string, { format, shape }: HalfTensor): string {
  const copy = copyName(name);
  if (lane.hasOwn(copy)) lane.renew(copy);
  else lane.buffer({ name: copy, shape, dtype: 'f32', category: 'activation', persistent: false, asHalf: format });
  return copy;
}

/** Changes stored tensors in float32: unpacks them, lets `change` write the float32 copies, rounds and packs these. */
export function inFloat32(
  lane: LaneBuilder,
  names: readonly string[],
  where: Where,
  change: (copies: readonly string[]) => void,
): void {
  const stored = names.map((name) => {
    const halves = must(lane.spec(name).halves, name);
    return { name, halves, copy: newCopy(lane, name, halves) };
  });
  for (const { name, halves, copy } of stored) lane.compute('precision/unpack', [name], [copy], { ...halves }, where);
  change(stored.map(({ copy }) => copy));
  for (const { name, halves, copy } of stored)
    lane.compute('precision/pack', [copy], [copy, name], { format: halves.format }, where);
}

/** The forward and the backward nodes of one lane, as they are emitted. */
export class HalfValues {
  /** By graph: values that the forward pass makes (or receives) in half precision and backward reads. */
  readonly #kept = new Map<Graph, ReadonlySet<string>>();
  /** The kept values that this backward pass has unpacked. */
  readonly #unpacked = new Set<string>();

  /** Stored tensors that the current node reads or writes, and their float32 copies. */
  readonly #copies = new Map<string, string>();

  constructor(private readonly lane: LaneBuilder) {}

  /** The buffer that an operator reads or writes for a value of the graph, between `before` and `after`. */
  computedIn({ name }: GraphValue): string {
    return this.#copies.get(name) ?? name;
  }

  /** The lane begins another pass, which reads the kept values. */
  startPass(): void {
    this.#unpacked.clear();
  }

  /** Before a node: unpacks the stored tensors and the kept values that the node reads to float32. */
  before(graph: Graph, node: GraphNode, where: Where): void {
    const { lane } = this;
    this.#copies.clear();
    const inputs = new Set(node.inputs);
    for (const id of new Set([...inputs, ...node.outputs])) {
      const { name } = at(graph.values, id);
      const { halves } = lane.spec(name);
      if (!halves) continue;
      const copy = newCopy(lane, name, halves);
      this.#copies.set(name, copy);
      if (inputs.has(id)) lane.compute('precision/unpack', [name], [copy], { ...halves }, where);
    }
    const kept = this.#keptIn(graph);
    // Whole parameters are gathered as halves (sharded/unit-emitter.ts), for both passes.
    const isKept = ({ name, role }: GraphValue): boolean =>
      role === 'unsharded' || (node.phase === 'backward' && kept.has(name));
    for (const id of inputs) {
      const value = at(graph.values, id);
      if (!value.half || !isKept(value) || this.#unpacked.has(value.name)) continue;
      this.#unpacked.add(value.name);
      this.lane.renew(value.name);
      unpack(this.lane, value, where);
    }
  }

  /**
   * After a node: its results are rounded, and kept if backward reads them. Results of collectives need no rounding:
   * messages carry halves (step/half-collectives.ts), and a copy within a rank is of rounded values.
   */
  after(graph: Graph, node: GraphNode, where: Where): void {
    const kept = this.#keptIn(graph);
    for (const id of node.outputs) {
      const value = at(graph.values, id);
      const copy = this.#copies.get(value.name);
      const stored = this.lane.spec(value.name).halves;
      if (copy !== undefined && stored)
        this.lane.compute('precision/pack', [copy], [copy, value.name], { format: stored.format }, where);
      if (!value.half || copy !== undefined) continue;
      if (node.phase !== 'backward' && kept.has(value.name)) pack(this.lane, value, where);
      else if (node.op !== CAST && !isCollective(node))
        this.lane.compute('precision/round', [value.name], [value.name], { format: value.half }, where);
    }
  }

  #keptIn(graph: Graph): ReadonlySet<string> {
    const known = this.#kept.get(graph);
    if (known) return known;
    const reads = (backward: boolean) =>
      new Set(graph.nodes.flatMap(({ phase, inputs }) => ((phase === 'backward') === backward ? inputs : [])));
    const [later, now] = [reads(true), reads(false)];
    const made = new Set(graph.nodes.flatMap(({ phase, outputs }) => (phase === 'backward' ? [] : outputs)));
    // A value that no forward node reads is the output of the stage; the next stage keeps it.
    const isKept = ({ id, role, half }: GraphValue): boolean =>
      half !== undefined && (made.has(id) ? later.has(id) || !now.has(id) : role === 'input');
    const kept = new Set(graph.values.filter(isKept).map(({ name }) => name));
    this.#kept.set(graph, kept);
    return kept;
  }
}
