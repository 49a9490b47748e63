/**
 * The graph of one step: values, and nodes in an order that respects every dependency. GraphBuilder infers shapes as
 * nodes are appended and differentiates in reverse mode by appending backward nodes to the same list. GraphBuilder
 * knows two operators by name ('ops/add', to sum gradients of a value used twice, and 'precision/cast', to give a
 * gradient the type of its tensor). It runs nothing. `nn` builds with it; `parallel` compiles the result.
 */
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import type { HalfFormat } from '../tensor/half-bits';
import type { Attrs, GradientContext, OpTable, TensorType, ValueId } from './op';

/** buffer: kept between steps and not trained (running statistics). mask: drawn on the host each step (dropout). */
export type Role =
  | 'input'
  | 'target'
  | 'parameter'
  | 'buffer'
  | 'mask'
  | 'activation'
  | 'gradient'
  | 'loss'
  | 'seed'
  /**
   * A parameter that ranks keep in shards, gathered while its unit needs it; or its whole gradient before the
   * reduction.
   */
  | 'unsharded'
  | 'unshardedGradient';

export interface GraphValue {
  readonly id: ValueId;
  /** Unique in the graph and the same in every run: buffers have the names of their values. */
  readonly name: string;
  readonly type: TensorType;
  readonly role: Role;
  /** The tensor is in half precision: float32 arithmetic, rounded to this format. Absent: float32, or int32. */
  readonly half?: HalfFormat;
}

export type GraphPhase = 'forward' | 'loss' | 'backward';

export interface GraphNode {
  readonly op: string;
  readonly inputs: readonly ValueId[];
  readonly outputs: readonly ValueId[];
  readonly attrs: Attrs;
  /** Module path as in PyTorch's state_dict ('0', '2'); '' when none. */
  readonly module: string;
  readonly phase: GraphPhase;
}

export interface Graph {
  /** Index = id. */
  readonly values: readonly GraphValue[];
  /** In topological order. */
  readonly nodes: readonly GraphNode[];
}

export interface NodePlacement {
  readonly module: string;
  readonly phase: GraphPhase;
  /** One name an output. */
  readonly names: readonly string[];
  /** Per output: the input that it overwrites (running statistics), or undefined for a value of its own. */
  readonly into?: readonly (ValueId | undefined)[];
  /** Per output: its format, if it is in half precision. */
  readonly halves?: readonly (HalfFormat | undefined)[];
}

/** Decides about half precision while forward nodes are appended: torch.autocast, or a MixedPrecisionPolicy. */
export interface ForwardPrecision {
  /** The format of parameters, and of running statistics; absent: they are float32. */
  readonly parameters?: HalfFormat;
  readonly buffers?: HalfFormat;
  operands(builder: GraphBuilder, op: string, inputs: readonly ValueId[], placement: NodePlacement): ForwardOperands;
}

export interface ForwardOperands {
  /** The operator's inputs, cast if necessary. */
  readonly inputs: readonly ValueId[];
  /** The formats of its outputs, the first ones; outputs without a format are float32. */
  readonly halves: readonly (HalfFormat | undefined)[];
  /** Attributes that the operator has only in half precision. */
  readonly attrs?: Attrs;
}

const ROLE_OF_PHASE: Readonly<Record<GraphPhase, Role>> = { forward: 'activation', loss: 'loss', backward: 'gradient' };

export class GraphBuilder {
  readonly #ops: OpTable;
  readonly #values: GraphValue[] = [];
  readonly #nodes: GraphNode[] = [];
  readonly #names = new Set<string>();

  /** `precision`: of forward nodes; absent: all are in float32. */
  constructor(
    ops: OpTable,
    private readonly precision?: ForwardPrecision | undefined,
  ) {
    this.#ops = ops;
  }

  /**
   * A value that no node of this graph makes: input, target, parameter, seed, or a gradient received from elsewhere.
   */
  value(name: string, type: TensorType, role: Role, given?: HalfFormat): ValueId {
    const unique = this.#claim(name);
    const id: ValueId = this.#values.length;
    const half = this.#ofModel(type, role) ?? given;
    this.#values.push({ id, name: unique, type, role, ...(half ? { half } : {}) });
    return id;
  }

  #ofModel({ dtype }: TensorType, role: Role): HalfFormat | undefined {
    if (role === 'parameter') return this.precision?.parameters;
    return role === 'buffer' && dtype === 'f32' ? this.precision?.buffers : undefined;
  }

  /** Number of nodes so far. */
  get size(): number {
    return this.#nodes.length;
  }

  typeOf(id: ValueId): TensorType {
    return at(this.#values, id).type;
  }

  nameOf(id: ValueId): string {
    return at(this.#values, id).name;
  }

  roleOf(id: ValueId): Role {
    return at(this.#values, id).role;
  }

  halfOf(id: ValueId): HalfFormat | undefined {
    return at(this.#values, id).half;
  }

  /** Append a node; throws LockstepError('shape') in PyTorch's words when the inputs do not fit. */
  apply(op: string, given: readonly ValueId[], asked: Attrs, placement: NodePlacement): readonly ValueId[] {
    const isGiven = !this.precision || placement.phase === 'backward' || placement.halves !== undefined;
    const operands = isGiven ? undefined : this.precision?.operands(this, op, given, placement);
    const { inputs = given, halves = placement.halves ?? [] } = operands ?? {};
    const attrs = operands?.attrs ? { ...asked, ...operands.attrs } : asked;
    const types = this.#def(op).infer(
      inputs.map((id) => this.typeOf(id)),
      attrs,
    );
    const role = ROLE_OF_PHASE[placement.phase];
    const { module, phase } = placement;
    // The stages of a rank are graphs of their own, and no module is in two stages.
    const named = (k: number): string => placement.names[k] ?? `${module === '' ? '' : `${module}.`}${op}.${k}`;
    const outputs = types.map((type, k) => placement.into?.[k] ?? this.value(named(k), type, role, halves[k]));
    this.#nodes.push({ op, inputs: [...inputs], outputs, attrs, module, phase });
    return outputs;
  }

  /**
   * Append the backward nodes that `wrt` needs, last node first. `seeds` maps a value to the value that holds its
   * gradient. The result lacks a `wrt` value that no seed depends on (PyTorch: its .grad stays None). Gradients are
   * named `<value name>.grad`.
   */
  backward(seeds: ReadonlyMap<ValueId, ValueId>, wrt: readonly ValueId[]): ReadonlyMap<ValueId, ValueId> {
    const needed = this.#dependents(wrt);
    const pieces = new Map<ValueId, ValueId[]>();
    for (const [value, gradient] of seeds) pieces.set(value, [gradient]);
    const forward = this.#nodes.slice();
    for (const node of forward.reverse()) {
      if (!node.inputs.some((id) => needed.has(id))) continue;
      const upstream = node.outputs.map((id) => this.#total(id, pieces, node));
      if (upstream.every((g) => g === undefined)) continue;
      const gradient = this.#def(node.op).gradient;
      if (!gradient) throw new LockstepError('internal', `derivative for ${node.op} is not implemented`);
      const gradients = gradient(this.#context(node, upstream, needed));
      node.inputs.forEach((input, i) => {
        const given = gradients[i];
        if (given === undefined || !needed.has(input)) return;
        const g = this.#inFormatOf(input, given, node);
        const list = pieces.get(input);
        if (list) list.push(g);
        else pieces.set(input, [g]);
      });
    }
    const result = new Map<ValueId, ValueId>();
    const taken = new Set<ValueId>(seeds.values());
    for (const value of wrt) {
      const total = this.#total(value, pieces, undefined);
      if (total === undefined) continue;
      // Operators that pass the gradient through have named it after their output.
      const { name } = at(this.#values, total);
      const wanted = `${at(this.#values, value).name}.grad`;
      if (!taken.has(total) && name !== wanted && !this.#names.has(wanted)) this.#rename(total, name, wanted);
      taken.add(total);
      result.set(value, total);
    }
    return result;
  }

  finish(): Graph {
    return { values: this.#values.slice(), nodes: this.#nodes.slice() };
  }

  #def(op: string) {
    return must(this.#ops.get(op), `operator '${op}' in the op table`);
  }

  #claim(name: string): string {
    let unique = name;
    for (let n = 1; this.#names.has(unique); n++) unique = `${name}.${n}`;
    this.#names.add(unique);
    return unique;
  }

  /** All values that depend on `roots`, themselves included. */
  #dependents(roots: readonly ValueId[]): ReadonlySet<ValueId> {
    const found = new Set<ValueId>(roots);
    for (const node of this.#nodes) {
      if (node.inputs.some((id) => found.has(id))) for (const id of node.outputs) found.add(id);
    }
    return found;
  }

  /**
   * The gradient of a value once every use has contributed: the only piece, or the pieces summed in the order they
   * arrived.
   */
  #total(value: ValueId, pieces: Map<ValueId, ValueId[]>, producer: GraphNode | undefined): ValueId | undefined {
    const list = pieces.get(value);
    const first = list?.[0];
    if (!list || first === undefined || list.length === 1) return first;
    const name = `${at(this.#values, value).name}.grad`;
    list.forEach((piece, k) => {
      this.#rename(piece, name, `${name}.part${k}`);
    });
    let sum = first;
    for (let k = 1; k < list.length; k++) {
      const { module } = producer ?? { module: '' };
      const label = k === list.length - 1 ? name : `${name}.sum${k}`;
      const placement = { module, phase: 'backward', names: [label], halves: [this.halfOf(value)] } as const;
      sum = at(this.apply('ops/add', [sum, at(list, k)], {}, placement), 0);
    }
    pieces.set(value, [sum]);
    return sum;
  }

  /** A gradient that an operator passes through has the type of the operator's output. */
  #inFormatOf(value: ValueId, gradient: ValueId, { module }: GraphNode): ValueId {
    const [half, from] = [this.halfOf(value), this.halfOf(gradient)];
    if (half === from) return gradient;
    const names = [`${this.nameOf(value)}.grad`];
    const attrs = { format: half ?? 'f32', from: from ?? 'f32' };
    return at(this.apply('precision/cast', [gradient], attrs, { module, phase: 'backward', names, halves: [half] }), 0);
  }

  /** A piece has the name of the whole gradient of `name`: renames the piece, and gives that name to the sum. */
  #rename(id: ValueId, name: string, to: string): void {
    const value = at(this.#values, id);
    if (value.role !== 'gradient' || (value.name !== name && !value.name.startsWith(`${name}.`))) return;
    this.#names.delete(value.name);
    this.#values[id] = { ...value, name: this.#claim(to) };
  }

  #context(node: GraphNode, upstream: readonly (ValueId | undefined)[], needed: ReadonlySet<ValueId>): GradientContext {
    const { module } = node;
    return {
      types: {
        inputs: node.inputs.map((id) => this.typeOf(id)),
        outputs: node.outputs.map((id) => this.typeOf(id)),
        attrs: node.attrs,
      },
      input: (i) => at(node.inputs, i),
      output: (i) => at(node.outputs, i),
      outputGrad: (i) => upstream[i],
      needsGrad: (i) => needed.has(at(node.inputs, i)),
      emit: (op, inputs, attrs, gradOf, sums = []) => {
        const names = gradOf.map((i) => `${at(this.#values, at(node.inputs, i)).name}.grad`);
        // The gradient of a tensor has the tensor's type.
        const halves = gradOf.map((i) => (sums.includes(i) ? undefined : this.halfOf(at(node.inputs, i))));
        return this.apply(op, inputs, attrs, { module, phase: 'backward', names, halves });
      },
    };
  }
}
