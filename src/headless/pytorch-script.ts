/**
 * The PyTorch script of a run, without running it, for `lockstep code`. A run that could not start is refused with the
 * same error.
 */

import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import { DATASET_FILE } from '../protocol/exported';
import type { Files } from '../protocol/session';
import { createBlueprint } from '../training/blueprint';
import { datasetFile } from '../training/dataset-file';
import { loadParts } from '../training/load-parts';

export interface ScriptFile {
  readonly text: string;
  /** The rows as .safetensors; `needed`: the script loads them from DATASET_FILE. */
  readonly dataset: { readonly needed: boolean; readonly file: () => Uint8Array<ArrayBuffer> };
}

export async function pytorchScript(input: unknown, files: Files): Promise<ScriptFile> {
  const config = parseConfig(input);
  await loadParts(config);
  const blueprint = createBlueprint(config, await prepareFiles(config.data, files));
  const lines = (await blueprint.mode.listing.load())(blueprint.config).map((line) => line.text);
  const text = `${lines.join('\n')}\n`;
  return { text, dataset: { needed: text.includes(`'${DATASET_FILE}'`), file: () => datasetFile(blueprint) } };
}
