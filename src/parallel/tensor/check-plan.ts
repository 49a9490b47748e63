/** Completes the plan of a run and refuses a plan that does not work. Called for every mesh whose tp cuts layers. */
import { LockstepError } from '../../base/errors';
import { refusedSettings } from '../../base/refused-settings';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { ModeInput } from '../mode-input';
import { exchangesStatistics } from './auto-plan';
import { listedModules } from './listed-modules';
import { checkLocalOutputs } from './local-outputs';
import { cutModel, withPlan } from './plan';

/** The configuration with its plan written out. `input`: with the settings of DDP that apply. */
export function settlePlan(input: ModeInput): Config {
  const config = withPlan(input.config);
  checkPlan({ ...input, config });
  return config;
}

/** If the model cannot be cut by the plan, the run is refused with the reason that the pass or a check gives. */
function checkPlan(input: ModeInput): void {
  const { tp } = meshSizes(input.config);
  try {
    checkLocalOutputs(input.config);
    checkNorms(input.config);
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

function checkNorms(config: Config): void {
  if (!exchangesStatistics(config)) return;
  const cut = listedModules(config).find(({ layer, style }) => layer.type === 'BatchNorm2d' && style !== undefined);
  if (cut === undefined) return;
  throw new LockstepError(
    'config',
    `the plan cuts module ${cut.path}, but with ddp.syncBatchNorm the replicas exchange the statistics of the whole BatchNorm2d`,
    `Leave the module out of tensor.plan, or set ddp.syncBatchNorm to false.`,
  );
}
