/** The exported folder of a run (`lockstep export`), on disk for this run alone. Called by train-in-torch.ts. */
import path from 'node:path';
import { exportFiles } from '../../headless/export-run';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { writeFolder } from '../export';

export interface WrittenExport {
  /** train.py. */
  readonly script: string;
  /** With all defaults. */
  readonly config: Config;
  readonly processes: number;
  /** A process is a rank of a group, even a single one. */
  readonly ranked: boolean;
  /** Of the optimizer. */
  readonly steps: number;
  readonly needs: { readonly torch: string; readonly why: string };
}

export async function exportTo(folder: string, given: unknown, files: Files): Promise<WrittenExport> {
  const { files: written, processes, needs, config, steps } = await exportFiles(given, files);
  await writeFolder(folder, written);
  const ranked = FACES[config.mode].launchable === true;
  return { script: path.join(folder, 'train.py'), config, processes, ranked, steps, needs };
}
