/**
 * Changes gradients in place. Gradients in float32 are changed together, by one operator; of gradients that are stored
 * as halves, one after the other is unpacked, changed, rounded and packed, so that only one of them is in float32 at a
 * time. Called by clipping and by the GradScaler.
 */
import type { LaneBuilder, Where } from '../program/lane-builder';
import { MIXED_PRECISION } from './stage-graph';

export function changeGradients(
  lane: LaneBuilder,
  gradients: readonly string[],
  where: Where,
  change: (gradients: readonly string[]) => void,
): void {
  const stored = gradients.filter((name) => lane.spec(name).halves);
  const plain = gradients.filter((name) => !stored.includes(name));
  if (plain.length > 0) change(plain);
  for (const name of stored) MIXED_PRECISION.get().inFloat32(lane, [name], where, change);
}
