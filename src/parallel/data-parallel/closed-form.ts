/**
 * What DataParallel sends: scatter of inputs, replicate, and scatter of output gradients leave device 0; outputs and
 * gradients come back to it. Called by compiler.ts.
 */
import type { ClosedForm } from '../../protocol/closed-form';
import { borderBytes, closedForm, type FormPass, type RunSizes, stateText, sum } from '../closed-form';

export function dataParallelForm({ transfers }: RunSizes, { rows }: FormPass): ClosedForm {
  const { parameterBytes, gradientBytes, bufferBytes, inputRowBytes, outputRowBytes } = transfers;
  const replicas = rows.slice(1).filter((count) => count > 0);
  const n = replicas.length + 1;
  if (n === 1)
    return closedForm(
      rows.map(() => 0),
      '0: the whole batch fits one chunk',
    );
  const away = sum(replicas);
  const outputBytes = (count: number): number => borderBytes(outputRowBytes, count);
  const root =
    (n - 1) * (parameterBytes + bufferBytes) + away * inputRowBytes + sum(replicas.map((count) => outputBytes(count)));
  const perDevice = rows.map((count, device) => {
    if (device === 0) return root;
    return count > 0 ? gradientBytes + outputBytes(count) : 0;
  });
  const { state, gradients, sizes } = stateText(transfers);
  const text = `cuda:0 sends (n-1) × ${state} + ${away} rows of ${inputRowBytes} B of inputs and ${outputRowBytes} B of output gradients, each replica ${gradients} + its outputs; n = ${n}, ${sizes}`;
  return closedForm(perDevice, text);
}
