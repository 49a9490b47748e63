/**
 * An upper bound of what the memory planner gives the devices of some Programs: as if no two buffers shared a slot. It
 * costs one pass over the buffers, and where it fits nothing need be planned.
 */
import type { Program } from './instruction';
import { alignedBytes } from './memory-planner';

/** Of all devices together. */
export function mostBytes(programs: readonly Program[]): number {
  const persistent = new Map<string, number>();
  let shared = 0;
  for (const { lanes } of programs)
    for (const lane of lanes) {
      for (const spec of lane.buffers)
        if (spec.persistent) persistent.set(`${lane.device} ${spec.name}`, alignedBytes(spec));
        else shared += alignedBytes(spec);
    }
  return [...persistent.values()].reduce((sum, bytes) => sum + bytes, shared);
}
