/**
 * Checks that a checkpoint's optimiser state fits this run's optimiser; otherwise throws in the words of torch's
 * optimizer.load_state_dict. Called by resume-plan.ts.
 */
import { LockstepError } from '../../base/errors';
import { stateNames } from '../../optim/optimizer';
import { SKIPPED } from '../../parallel/scaler-buffers';
import type { Config } from '../../protocol/config';
import { stateFileName } from './file-names';
import type { SavedCheckpoint } from './read-checkpoint';
import { groupedNames, statesOf } from './torch-groups';

/**
 * `stepped`: the parameters that this run's optimizer steps; a parameter without gradient has no state, as in torch.
 * Returns the states that start from their initial values, because the checkpoint has none of them and PyTorch creates
 * them itself.
 */
export function checkOptimizerState(
  saved: SavedCheckpoint,
  config: Config,
  parameters: readonly string[],
  stepped: readonly string[],
): readonly string[] {
  const file = stateFileName(saved.name);
  const groups = groupedNames(parameters, config);
  if (groups.length !== saved.groups.length) {
    throw new LockstepError(
      'config',
      `${file}: loaded state dict has a different number of parameter groups: ${saved.groups.length}, the optimizer has ${groups.length}`,
      'Use the paramGroups of the run that saved it.',
    );
  }
  const k = groups.findIndex(({ names }, i) => names.length !== saved.groups[i]?.params.length);
  if (k >= 0) {
    throw new LockstepError(
      'config',
      `${file}: loaded state dict contains a parameter group that doesn't match the size of optimizer's group: group ${k} has ${saved.groups[k]?.params.length} parameters, the optimizer's has ${groups[k]?.names.length}`,
      'Use the paramGroups of the run that saved it.',
    );
  }
  if (saved.microBatch < saved.accumulate || skippedAll(saved)) return [];
  const absent = stateNames(config).filter((name) =>
    stepped.some((p) => statesOf(config, p).includes(name) && !saved.values.has(`${p}.${name}`)),
  );
  const [first] = absent;
  // torch's SGD creates a missing momentum buffer from the next gradient.
  if (first === undefined || config.optimizer.type === 'SGD') return absent;
  const { type = 'another optimizer' } = (saved.config['optimizer'] ?? {}) as { readonly type?: string };
  throw new LockstepError(
    'config',
    `${file}: the state was saved by ${type} and has no "${first}", which ${config.optimizer.type} needs. PyTorch loads such a state and fails in the next step: KeyError: '${first}'`,
    `Resume with ${type}, or start ${config.optimizer.type} from the weights alone ("weights": "${saved.name}.safetensors").`,
    { saved: type, optimizer: config.optimizer.type },
  );
}

/** A GradScaler may have skipped every step, and then torch has made no states. */
function skippedAll({ values, microBatch, accumulate }: SavedCheckpoint): boolean {
  const skipped = values.get(SKIPPED)?.[0]?.data[0] ?? 0;
  return skipped > 0 && skipped >= Math.floor(microBatch / accumulate);
}
