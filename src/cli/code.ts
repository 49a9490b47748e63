/**
 * `lockstep code`: writes the PyTorch script of a run, which prints all the losses that `lockstep train` reports; or
 * the TensorFlow script, for reading.
 */
import { pytorchScript } from '../headless/pytorch-script';
import { tensorflowScript } from '../headless/tensorflow-script';
import { DATASET_FILE } from '../protocol/exported';
import type { CodeOptions } from './code-usage';
import { checkOutputs, write } from './outputs';
import { readRun } from './read-run';

export async function code(options: CodeOptions): Promise<void> {
  const { out, dataset: rows, framework } = options;
  const { config, files } = await readRun(options);
  await checkOutputs({ out, dataset: rows, config: options.config });
  const { text, dataset } = await (framework === 'tensorflow' ? tensorflowScript : pytorchScript)(config, files);
  if (out === undefined) process.stdout.write(text);
  else await write(out, text);
  if (rows !== undefined) await write(rows, dataset.file());
  else if (dataset.needed)
    process.stderr.write(
      `info: the script loads its rows from ${DATASET_FILE}; --dataset ${DATASET_FILE} writes them.\n`,
    );
}
