/**
 * A model entirely in half precision, after model.to() or as fully_shard gathers it: the samples are cast once, and
 * each operator computes in the type of its parameters and data. Losses are float32, because the script casts the
 * output before the loss; the statistics of norms are float32, too. Called by parallel/stage-graph.
 */
import type { HalfFormat } from '../tensor/half-bits';
import { cast } from './cast';
import type { ForwardPrecision, GraphBuilder, NodePlacement, Role } from './graph';
import type { ValueId } from './op';

export interface WholeModel {
  readonly format: HalfFormat;
  readonly master: boolean;
  readonly buffers: boolean;
}

/** Roles that are cast: the model's inputs and the master weights. */
const CAST: ReadonlySet<Role> = new Set(['input', 'parameter']);

export class AllInHalf implements ForwardPrecision {
  readonly #cast = new Map<ValueId, ValueId>();

  readonly parameters?: HalfFormat;
  readonly buffers?: HalfFormat;
  private readonly format: HalfFormat;

  /**
   * `master`: the graph has float32 weights and casts them for the model; `buffers`: running statistics are halves,
   * too.
   */
  constructor({ format, master, buffers }: WholeModel) {
    this.format = format;
    if (!master) this.parameters = format;
    if (buffers) this.buffers = format;
  }

  operands(builder: GraphBuilder, op: string, given: readonly ValueId[], placement: NodePlacement) {
    const isLoss = op.startsWith('loss/');
    const half = isLoss || op.endsWith('-stats') ? undefined : this.format;
    const isCast = (id: ValueId): boolean =>
      isLoss ? builder.halfOf(id) !== undefined : CAST.has(builder.roleOf(id)) && builder.typeOf(id).dtype === 'f32';
    const inputs = given.map((id) =>
      isCast(id) && builder.halfOf(id) !== half ? this.#castTo(builder, id, half, placement) : id,
    );
    return { inputs, half };
  }

  #castTo(builder: GraphBuilder, id: ValueId, half: HalfFormat | undefined, placement: NodePlacement): ValueId {
    const known = this.#cast.get(id);
    if (known !== undefined) return known;
    const made = cast(builder, id, half, placement);
    this.#cast.set(id, made);
    return made;
  }
}
