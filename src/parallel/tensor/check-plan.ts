/** Completes the plan of a run and refuses a plan that does not work. Called for every mesh whose tp cuts layers. */
import { LockstepError } from '../../base/errors';
import { refusedSettings } from '../../base/refused-settings';
import type { Unasked } from '../../graph/partition/partitioned';
import { wordsOf } from '../../graph/partition/rule';
import { readerOf } from '../../interop/pytorch/tensor';
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
    for (let index = 0; index < tp; index++) {
      const { takenAsParts } = cutModel(input, index, { withLoss: false });
      checkSequences(input.config, takenAsParts);
    }
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

/** SequenceParallel takes a DTensor to parts; a plain tensor is a part already, and torch does not check that. */
function checkSequences(config: Config, takenAsParts: readonly Unasked[]): void {
  const modules = listedModules(config);
  for (const { module, placement } of takenAsParts) {
    const style = modules.find(({ path }) => path === module)?.style;
    const takesDTensor = modules.some(
      ({ localOutput }, i) => localOutput === false && readerOf(modules, i)?.path === module,
    );
    if (style !== 'SequenceParallel' || takesDTensor) continue;
    throw new LockstepError(
      'config',
      `SequenceParallel takes what ${module} reads as ${wordsOf(placement)}, but the ranks hold the whole tensor: torch does not check that, and would take the whole for a part`,
      `Give the layer before ${module} the output layout "Shard(1)", or leave ${module} out.`,
    );
  }
}
