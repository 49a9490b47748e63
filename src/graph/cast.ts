/**
 * tensor.to(type) of a value in the forward pass, as a node. Called by autocast.ts and all-in-half.ts; partition/
 * recognises these nodes by name.
 */
import { at } from '../base/invariant';
import type { HalfFormat } from '../tensor/half-bits';
import type { GraphBuilder, NodePlacement } from './graph';
import type { ValueId } from './op';

export const CAST = 'precision/cast';

/** `half`: undefined is float32. */
export function cast(
  builder: GraphBuilder,
  id: ValueId,
  half: HalfFormat | undefined,
  { module, phase }: NodePlacement,
): ValueId {
  const format = half ?? 'f32';
  const names = [`${builder.nameOf(id)}.${format}`];
  const attrs = { format, from: builder.halfOf(id) ?? 'f32' };
  return at(builder.apply(CAST, [id], attrs, { module, phase, names, halves: [half] }), 0);
}
