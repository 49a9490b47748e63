/** `lockstep export`: writes a run as a folder that PyTorch trains from. */
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import { exportFiles } from '../headless/export-run';
import type { ExportOptions } from './code-usage';
import { fileReason } from './file-error';
import { readRun } from './read-run';

export async function exportCommand(options: ExportOptions): Promise<string> {
  const { out } = options;
  const { config, files } = await readRun(options);
  const folder = await exportFiles(config, files);
  await writeFolder(out, folder.files);
  const { torch, why } = folder.needs;
  const start = folder.processes > 1 ? `torchrun --standalone --nproc_per_node=${folder.processes}` : 'python3';
  return [
    `${out}: ${Object.keys(folder.files).length} files; README.md says how they are used.`,
    `Needs PyTorch ${torch} or later (${why}). In that folder: ${start} train.py --report report.json`,
    '',
  ].join('\n');
}

/** The folder must be new or empty: if it contains files, they stay and nothing is written. */
export async function writeFolder(out: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  try {
    await mkdir(out, { recursive: true });
    const there = new Set(await readdir(out));
    const taken = Object.keys(files).filter((name) => there.has(name));
    if (taken.length > 0)
      throw new LockstepError(
        'config',
        `${out} already holds ${taken.slice(0, 3).join(', ')}${taken.length > 3 ? ' and other files' : ''}`,
        'Name another folder with --out, or empty this one.',
      );
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(out, name);
      await writeFile(file, content);
      if (typeof content === 'string' && content.startsWith('#!')) await chmod(file, 0o755);
    }
  } catch (error) {
    if (error instanceof LockstepError) throw error;
    throw new LockstepError(
      'config',
      `cannot write ${out}: ${fileReason(error)}`,
      'The folder above it must exist and be writable.',
    );
  }
}
