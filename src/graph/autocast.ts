/**
 * torch.autocast: which operators compute in half precision, and where casts go. Source: the lists of the CPU in
 * aten/src/ATen/autocast_mode.h. An operator on neither list computes in the type of its inputs, by torch's type
 * promotion: in half precision if all its data is, otherwise in float32. Norm weights and statistics and dropout masks
 * may be float32 without changing this; statistics always are. Called by parallel/stage-graph.
 */
import type { HalfFormat } from '../tensor/half-bits';
import { cast } from './cast';
import type { ForwardOperands, ForwardPrecision, GraphBuilder, NodePlacement, Role } from './graph';
import type { ValueId } from './op';

/** The operators of autocast's list lower_precision_fp that occur in graphs of layers. */
const IN_HALF: ReadonlySet<string> = new Set([
  'ops/linear',
  'ops/matmul',
  'conv/conv1d',
  'conv/conv2d',
  'conv/conv-transpose2d',
  'attention/attention',
  'attention/self-attention',
]);
/** The operators of autocast's list fp32: only losses. Norms, softmax and activations are on CUDA's list alone. */
const inFloat32 = (op: string): boolean => op.startsWith('loss/');

const isStatistics = (op: string): boolean => op.endsWith('-stats');

/** Roles of tensors whose type does not affect the type of the result. */
const BESIDE: ReadonlySet<Role> = new Set(['parameter', 'buffer', 'mask']);

export class Autocast implements ForwardPrecision {
  /** torch keeps the cast of a weight until the region ends; other tensors are cast at each use. */
  readonly #weights = new Map<ValueId, ValueId>();

  constructor(private readonly format: HalfFormat) {}

  operands(builder: GraphBuilder, op: string, inputs: readonly ValueId[], placement: NodePlacement): ForwardOperands {
    const isFloat = (id: ValueId): boolean => builder.typeOf(id).dtype === 'f32';
    const to = (half: HalfFormat | undefined) =>
      inputs.map((id) => (isFloat(id) && builder.halfOf(id) !== half ? this.#cast(builder, id, half, placement) : id));
    if (IN_HALF.has(op)) return { inputs: to(this.format), halves: [this.format] };
    if (inFloat32(op)) return { inputs: to(undefined), halves: [] };
    if (isStatistics(op)) return { inputs, halves: [] };
    const all = inputs.filter((id) => isFloat(id) && !BESIDE.has(builder.roleOf(id)));
    const data = op.startsWith('norm/') ? all.slice(0, 1) : all;
    const isHalf = data.length > 0 && data.every((id) => builder.halfOf(id) !== undefined);
    return { inputs, halves: isHalf ? [this.format] : [] };
  }

  #cast(builder: GraphBuilder, id: ValueId, half: HalfFormat | undefined, placement: NodePlacement): ValueId {
    const known = half === undefined ? undefined : this.#weights.get(id);
    if (known !== undefined) return known;
    const made = cast(builder, id, half, placement);
    if (half !== undefined && builder.roleOf(id) === 'parameter') this.#weights.set(id, made);
    return made;
  }
}
