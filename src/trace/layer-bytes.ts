/**
 * Bytes that the collectives inside the layers of a cut model have sent, counted from a traced step: the counterpart of
 * ClosedForm.layers. Pure.
 */
import type { StepTrace } from '../protocol/trace';

/**
 * By module path, over all ranks; '' is the loss. Buckets of gradients, borders of stages and the optimiser's sums are
 * left out.
 */
export function bytesByLayer({ events }: Pick<StepTrace, 'events'>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { kind, collective, bucket, phase, module, bytes } of events) {
    const inside = phase === 'forward' || phase === 'loss' || phase === 'backward';
    if (kind !== 'send' || !collective || bucket !== undefined || !inside) continue;
    found.set(module, (found.get(module) ?? 0) + bytes);
  }
  return found;
}
