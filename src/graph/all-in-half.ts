/**
 * A model whose parameters are in half precision: what its layers are given is cast once, and each operator computes in
 * the type of its parameters and data. Losses are float32, since the script casts the output before them; so are the
 * statistics of norms. Called by parallel/stage-graph.
 */
import { at } from '../base/invariant';
import type { HalfFormat } from '../tensor/half-bits';
import type { ForwardPrecision, GraphBuilder, NodePlacement } from './graph';
import type { ValueId } from './op';

export class AllInHalf implements ForwardPrecision {
  readonly #cast = new Map<ValueId, ValueId>();

  constructor(readonly parameters: HalfFormat) {}

  operands(builder: GraphBuilder, op: string, given: readonly ValueId[], placement: NodePlacement) {
    const isLoss = op.startsWith('loss/');
    const half = isLoss || op.endsWith('-stats') ? undefined : this.parameters;
    const isCast = (id: ValueId): boolean =>
      isLoss ? builder.halfOf(id) !== undefined : builder.roleOf(id) === 'input' && builder.typeOf(id).dtype === 'f32';
    const inputs = given.map((id) =>
      isCast(id) && builder.halfOf(id) !== half ? this.#castTo(builder, id, half, placement) : id,
    );
    return { inputs, half };
  }

  #castTo(builder: GraphBuilder, id: ValueId, half: HalfFormat | undefined, placement: NodePlacement): ValueId {
    const known = this.#cast.get(id);
    if (known !== undefined) return known;
    const { module, phase } = placement;
    const format = half ?? 'f32';
    const attrs = { format, from: builder.halfOf(id) ?? 'f32' };
    const names = [`${builder.nameOf(id)}.${format}`];
    const made = at(builder.apply('precision/cast', [id], attrs, { module, phase, names, halves: [half] }), 0);
    this.#cast.set(id, made);
    return made;
  }
}
