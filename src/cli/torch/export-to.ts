/** Writes the exported folder of a run (`lockstep export`) to disk, only for this run. Called by train-in-torch.ts. */
import path from 'node:path';
import { exportFiles } from '../../headless/export-run';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { writeFolder } from '../export';

export interface WrittenExport {
  /** The path of train.py. */
  readonly script: string;
  /** The configuration with all defaults. */
  readonly config: Config;
  readonly processes: number;
  /** Whether processes are ranks of a group, even a single process. */
  readonly ranked: boolean;
  /** The number of optimizer steps. */
  readonly steps: number;
  readonly needs: { readonly torch: string; readonly why: string };
}

export async function exportTo(folder: string, given: unknown, files: Files): Promise<WrittenExport> {
  const { files: written, processes, needs, config, steps } = await exportFiles(given, files);
  await writeFolder(folder, written);
  const ranked = FACES[config.mode].launchable === true;
  return { script: path.join(folder, 'train.py'), config, processes, ranked, steps, needs };
}
