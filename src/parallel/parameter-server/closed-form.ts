/**
 * The bytes through the server: every worker pulls parameters and running statistics and pushes gradients. Called
 * by compiler.ts.
 */
import type { ClosedForm } from '../../protocol/closed-form';
import { closedForm, type FormPass, type RunSizes, stateText } from '../closed-form';

export function serverForm({ config, devices, transfers }: RunSizes, pass: FormPass): ClosedForm {
  const { parameterBytes, gradientBytes, bufferBytes } = transfers;
  if (devices === 1) return closedForm([0], '0: the server trains by itself');
  const { rows } = pass;
  const { synchronous } = config.parameterServer;
  const workers = rows.flatMap((count, device) => (count > 0 && device > 0 ? [device] : []));
  const pulls = !synchronous || pass.gradients === 'set';
  const pushes = !synchronous || pass.steps;
  const perDevice = rows.map((count, device) => {
    if (device === 0) return pulls ? workers.length * (parameterBytes + bufferBytes) : 0;
    if (count === 0 || !pushes) return 0;
    // The first worker sends running statistics; if asynchronous, each worker does in its turn.
    return gradientBytes + (!synchronous || device === workers[0] ? bufferBytes : 0);
  });
  const { state, gradients, sizes } = stateText(transfers);
  const statistics = bufferBytes === 0 ? '' : synchronous ? ', the first one B, too' : ' + B';
  const text = `cuda:0 sends W × ${state}, each worker ${gradients}${statistics}; W = ${workers.length} workers, ${sizes}`;
  return closedForm(perDevice, text);
}
