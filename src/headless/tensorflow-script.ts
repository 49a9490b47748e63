/**
 * The TensorFlow script of a run, without running it, for `lockstep code --framework tensorflow`. If tf.distribute has
 * no counterpart of the mode, the error says why.
 */
import { LockstepError } from '../base/errors';
import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import { tensorflowScript as write } from '../interop/tensorflow/script';
import { counterpartOf } from '../parallel/strategies';
import type { Files } from '../protocol/session';
import { createBlueprint } from '../training/blueprint';
import { datasetFile } from '../training/dataset-file';
import { loadParts } from '../training/load-parts';
import type { ScriptFile } from './pytorch-script';

export async function tensorflowScript(input: unknown, files: Files): Promise<ScriptFile> {
  const config = parseConfig(input);
  const counterpart = counterpartOf(config);
  if ('none' in counterpart)
    throw new LockstepError(
      'config',
      `There is no TensorFlow script for this mode: ${counterpart.none}`,
      'Use the PyTorch script, or another mode.',
    );
  await loadParts(config);
  const blueprint = createBlueprint(config, await prepareFiles(config.data, files));
  const lines = write(blueprint.config, counterpart).map((line) => line.text);
  return { text: `${lines.join('\n')}\n`, dataset: { needed: true, file: () => datasetFile(blueprint) } };
}
