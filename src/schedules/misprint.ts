/**
 * Torch 2.13 prints 1F1B (its pipeline_order and CSV) with the forward passes of the last rank one micro-batch too
 * high: 3F1, 3B0, 3F2 ... where it runs 3F0, 3B0, 3F1. Such a file cannot run, and the error explains this.
 */
import { action, isPair } from './cell';
import { recognise } from './recognise';
import type { Schedule } from './schedule';

export function isMisprinted1F1B(schedule: Schedule): boolean {
  const { orders, microBatches } = schedule;
  const last = (orders.at(-1) ?? []).map((cell) =>
    isPair(cell) || cell.kind !== 'F' ? cell : action(cell.stage, 'F', cell.microBatch - 1),
  );
  const mended = { ...schedule, microBatches: microBatches - 1, orders: [...orders.slice(0, -1), last] };
  return recognise(mended) === '1F1B';
}
