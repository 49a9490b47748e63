/** Refuses a plan before the run begins. Called by the compilers of modes whose mesh cuts layers. */
import { LockstepError } from '../../base/errors';
import { refusedSettings } from '../../base/refused-settings';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { ModeInput } from '../mode-input';
import { checkLocalOutputs } from './local-outputs';
import { cutModel } from './plan';

/** If the model cannot be cut by the plan, the run is refused with the reason that the pass or a check gives. */
export function checkPlan(input: ModeInput): void {
  const { tp } = meshSizes(input.config);
  try {
    checkLocalOutputs(input.config);
    for (let index = 0; index < tp; index++) cutModel(input, index, { withLoss: false });
  } catch (error) {
    if (!(error instanceof LockstepError) || error.code !== 'config') throw error;
    const { plan = {} } = input.config.tensor;
    throw refusedSettings({
      settings: { 'mesh.tp': tp, 'tensor.plan': plan },
      why: error.message.replace(/\.$/, ''),
      hint: error.hint,
    });
  }
}
