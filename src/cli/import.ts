/**
 * `lockstep import`: reads recordings of runs elsewhere and prints an analysis. A folder means the files in it. Runs
 * nothing.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { LockstepError } from '../base/errors';
import { importFiles } from '../recordings/import-files';
import { findings, importJson, importText } from '../recordings/import-text';
import type { RecordingFile } from '../recordings/recording-file';
import { whatIf } from '../recordings/what-if';
import { EXIT } from './exit-code';
import { fileReason } from './file-error';
import type { ImportOptions } from './import-usage';

/** The files of a folder that may be recordings. torch's dumps have no extension, "nccl_trace_rank_3". */
const RECORDING = /[.](json|gz|txt|log|out|pickle|pkl)$|_\d+$/i;
const MOST_FILES = 4096;

/** Resolves to the exit status. */
export async function importCommand(
  { files, step, change, json }: ImportOptions,
  signal: AbortSignal,
): Promise<number> {
  // A file given twice counts once.
  const paths = [...new Map(files.map((file) => [path.resolve(file), file])).values()];
  const given = (await Promise.all(paths.map(filesAt))).flat();
  if (given.length > MOST_FILES) {
    throw new LockstepError(
      'data',
      `${given.length} files were given; at most ${MOST_FILES} are read.`,
      'Give the files of one run.',
    );
  }
  const imported = await importFiles(given, { signal, ...(process.stderr.isTTY ? { onProgress: progress() } : {}) });
  const modelled = change && imported.recording ? whatIf(imported.recording, change) : undefined;
  const found = findings(imported, step, modelled);
  process.stdout.write(json ? `${JSON.stringify(importJson(found), null, 2)}\n` : importText(found));
  return EXIT.ok;
}

async function filesAt(given: string): Promise<readonly RecordingFile[]> {
  try {
    const known = await stat(given);
    if (!known.isDirectory()) return [fileAt(given, path.basename(given), known.size)];
    const names = (await readdir(given)).filter((name) => RECORDING.test(name) && !name.startsWith('.'));
    const found = await Promise.all(names.map(async (name) => ({ name, of: await stat(path.join(given, name)) })));
    const inside = found
      .filter(({ of }) => of.isFile())
      .map(({ name, of }) => fileAt(path.join(given, name), name, of.size));
    if (inside.length > 0) return inside;
  } catch (error) {
    const hint = 'import takes the files of a recording, or their folder.';
    throw new LockstepError('data', `cannot read ${given}: ${fileReason(error)}`, hint, { file: given });
  }
  throw new LockstepError(
    'data',
    `${given} contains no file that looks like a recording.`,
    'Name the files themselves.',
  );
}

const fileAt = (at: string, name: string, size: number): RecordingFile => ({
  name,
  size,
  stream: () => Readable.toWeb(createReadStream(at, { highWaterMark: 2 ** 20 })) as ReadableStream<Uint8Array>,
});

/** A progress line that counts up, for files that take long. */
function progress(): (bytes: number, of: number) => void {
  let shown = 0;
  return (bytes, of) => {
    const percent = Math.floor((100 * bytes) / of);
    if (of < 32 * 2 ** 20 || percent === shown) return;
    shown = percent;
    process.stderr.write(`\rreading ${percent} % of ${Math.round(of / 1e6)} MB${percent === 100 ? '\n' : ''}`);
  };
}
