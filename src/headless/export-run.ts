/**
 * Exports a run as a folder from which PyTorch trains, without running it: for `lockstep export`, the page's .zip, and
 * `lockstep train --engine torch`. A run that could not start is refused with the same error.
 */
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import { exportFolder } from '../interop/export/export-folder';
import { FILE } from '../interop/export/file-dialect';
import type { Config } from '../protocol/config';
import type { ExportedFolder } from '../protocol/exported';
import type { Files } from '../protocol/session';
import { createBlueprint } from '../training/blueprint';
import { modelFileName, stateFileName } from '../training/checkpoint/file-names';
import { datasetFile } from '../training/dataset-file';
import { loadParts } from '../training/load-parts';
import { startWeights } from '../training/weights/weights';
import { weightsFile } from '../training/weights/weights-file';
import { extentOf } from './headless-run';

export interface ExportedRun extends ExportedFolder {
  /** With all defaults. */
  readonly config: Config;
  /** Steps of the optimizer, including those before a checkpoint. */
  readonly steps: number;
}

export async function exportFiles(input: unknown, files: Files): Promise<ExportedRun> {
  const asked = parseConfig(input);
  await loadParts(asked);
  const blueprint = createBlueprint(asked, await prepareFiles(asked.data, files), { end: 'atSteps' });
  const { config, given } = withoutFolders(blueprint.config, files);
  const lines = (await blueprint.mode.listing.load())(config, FILE).map(({ text }) => text);
  const folder = exportFolder({
    config,
    trainPy: `${lines.join('\n')}\n`,
    initial: weightsFile(blueprint, startWeights(blueprint)),
    dataset: () => datasetFile(blueprint),
    given,
  });
  return { ...folder, config, steps: Math.ceil(extentOf(blueprint).total / config.accumulate) };
}

/** Removes the folders from the names of a configuration's files, because the files are written beside train.py. */
function withoutFolders(config: Config, files: Files): { readonly config: Config; readonly given: Files } {
  const given = new Map<string, Uint8Array<ArrayBuffer>>();
  const moved = (name: string, taken: string = name): string => {
    const bytes = lookup(files, taken);
    const base = name.replace(/^.*[\\/]/, '');
    if (bytes === undefined) return base;
    const other = given.get(base);
    if (other !== undefined && other !== bytes)
      throw new LockstepError('data', `two files of the run have the name ${base}`, 'Give them different names.');
    given.set(base, bytes);
    return base;
  };
  const data = Object.fromEntries(
    Object.entries(config.data).map(([key, value]) => [
      key,
      typeof value === 'string' && lookup(files, value) !== undefined ? moved(value) : value,
    ]),
  ) as unknown as Config['data'];
  const { weights, resume } = config;
  if (resume !== undefined) for (const name of [modelFileName(resume), stateFileName(resume)]) moved(name);
  return {
    config: {
      ...config,
      data,
      ...(weights === undefined ? {} : { weights: moved(weights) }),
      ...(resume === undefined ? {} : { resume: resume.replace(/^.*[\\/]/, '') }),
    },
    given: Object.fromEntries(given),
  };
}
