/**
 * A model entirely in half precision, after model.to() or as fully_shard gathers it: the samples are cast once, and
 * each operator computes in the type of its parameters and data, and norms keep their statistics in it. Losses are
 * float32, because the script casts the output before the loss. Called by parallel/stage-graph.
 */
import type { HalfFormat } from '../tensor/half-bits';
import { cast } from './cast';
import type { ForwardOperands, ForwardPrecision, GraphBuilder, NodePlacement, Role } from './graph';
import type { ValueId } from './op';

export interface WholeModel {
  readonly format: HalfFormat;
  readonly master: boolean;
  readonly buffers: boolean;
}

/** Roles that are cast: the model's inputs and the master weights. */
const CAST: ReadonlySet<Role> = new Set(['input', 'parameter']);

/** Norms whose outputs are y, and mean and rstd for backward. */
const KEEP_MOMENTS: ReadonlySet<string> = new Set(['norm/layer-norm', 'norm/group-norm']);
/** SyncBatchNorm sends and keeps float32 statistics. */
const SYNCED: ReadonlySet<string> = new Set(['norm/sync-batch-norm-stats', 'norm/sync-batch-norm-gather']);

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

  operands(builder: GraphBuilder, op: string, given: readonly ValueId[], placement: NodePlacement): ForwardOperands {
    const isLoss = op.startsWith('loss/');
    const half = isLoss || SYNCED.has(op) ? undefined : this.format;
    const isCast = (id: ValueId): boolean =>
      isLoss ? builder.halfOf(id) !== undefined : CAST.has(builder.roleOf(id)) && builder.typeOf(id).dtype === 'f32';
    const inputs = given.map((id) =>
      isCast(id) && builder.halfOf(id) !== half ? this.#castTo(builder, id, half, placement) : id,
    );
    if (KEEP_MOMENTS.has(op)) return { inputs, halves: [half, half, half] };
    // Its first outputs are mean and invstd; the running statistics are tensors of their own.
    if (op === 'norm/batch-norm-stats') return { inputs, halves: [half, half], attrs: { half: this.format } };
    return { inputs, halves: [half] };
  }

  #castTo(builder: GraphBuilder, id: ValueId, half: HalfFormat | undefined, placement: NodePlacement): ValueId {
    const known = this.#cast.get(id);
    if (known !== undefined) return known;
    const made = cast(builder, id, half, placement);
    this.#cast.set(id, made);
    return made;
  }
}
