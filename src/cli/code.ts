/**
 * `lockstep code`: the PyTorch script of a run, which prints the losses that `lockstep train` reports, as many as the
 * run has.
 */
import { DATASET_FILE, pytorchScript } from '../headless/pytorch-script';
import { checkOutputs, write } from './outputs';
import { readRun } from './read-run';
import type { CodeOptions } from './usage';

export async function code(options: CodeOptions): Promise<void> {
  const { out, dataset: rows } = options;
  const { config, files } = await readRun(options);
  await checkOutputs({ out, dataset: rows, config: options.config });
  const { text, dataset } = await pytorchScript(config, files);
  if (out === undefined) process.stdout.write(text);
  else await write(out, text);
  if (rows !== undefined) await write(rows, dataset.file());
  else if (dataset.needed)
    process.stderr.write(
      `info: the script loads its rows from ${DATASET_FILE}; --dataset ${DATASET_FILE} writes them.\n`,
    );
}
