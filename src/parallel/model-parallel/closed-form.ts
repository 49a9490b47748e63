/**
 * Bytes at the borders of a layer split: activations, and the same again for their gradients. Called by compiler.ts.
 */
import type { ClosedForm } from '../../protocol/closed-form';
import { borderBytes, bordersText, closedForm, type FormPass, type RunSizes } from '../closed-form';

export function modelParallelForm({ devices, transfers }: RunSizes, { rows: [rows = 0] }: FormPass): ClosedForm {
  const borders = transfers.borderRowBytes.map((bytes) => borderBytes(bytes, rows));
  const perDevice = Array.from({ length: devices }, (_, d) => (borders[d] ?? 0) + (borders[d - 1] ?? 0));
  if (borders.length === 0) return closedForm(perDevice, '0: one device holds all layers');
  return closedForm(perDevice, `activations forward, as many gradients back: ${bordersText(borders)}`);
}
