/**
 * Checkpoints in the file system. Saving is atomic: both files are written beside the old ones and reach the disk
 * first; then the model is renamed and last the state, which names the model that belongs to it by its checksums. A
 * save interrupted between the two renames leaves the previous model as `<base>.safetensors.previous`, which loading
 * then uses; the next save removes the unfinished files. Called by train.ts and read-run.ts.
 */
import { link, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import type { CheckpointFiles, Files } from '../protocol/session';
import { belongTogether } from '../training/checkpoint/checkpoint-format';
import { modelFileName, stateFileName } from '../training/checkpoint/file-names';
import { loadShards } from './checkpoint-shards';
import { fileReason } from './file-error';
import { writeThrough } from './write-through';

const previousOf = (file: string): string => `${file}.previous`;
const temporaryOf = (file: string): string => `${file}.${process.pid}.tmp`;

/** Removes the files of a process that was killed during a save: their names have its number, but it no longer runs. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  const prefix = `${path.basename(file)}.`;
  const leftover = (name: string): boolean => {
    const pid = name.startsWith(prefix) ? /^(\d+)\.tmp$/.exec(name.slice(prefix.length))?.[1] : undefined;
    return pid !== undefined && Number(pid) !== process.pid && !isAlive(Number(pid));
  };
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter(leftover).map((name) => rm(path.join(folder, name), { force: true })));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: we may not signal the process, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

export async function saveCheckpoint(base: string, { model, state }: CheckpointFiles): Promise<void> {
  const [modelFile, stateFile] = [modelFileName(base), stateFileName(base)];
  try {
    await Promise.all([modelFile, stateFile].map(removeLeftovers));
    await writeThrough(temporaryOf(modelFile), model);
    await writeThrough(temporaryOf(stateFile), state);
    // A second name for the model that belongs to the old state. After an interrupted save this name exists already,
    // and before the first save there is no model.
    if (await isWhole(base)) {
      await rm(previousOf(modelFile), { force: true });
      await link(modelFile, previousOf(modelFile));
    }
    await rename(temporaryOf(modelFile), modelFile);
    await rename(temporaryOf(stateFile), stateFile);
    await rm(previousOf(modelFile), { force: true });
  } catch (error) {
    await Promise.all([modelFile, stateFile].map((file) => rm(temporaryOf(file), { force: true })));
    const hint = 'The folder must exist and be writable. The previous checkpoint is unchanged.';
    throw new LockstepError('data', `cannot write the checkpoint ${base}: ${fileReason(error)}`, hint, { base });
  }
}

async function isWhole(base: string): Promise<boolean> {
  const files = await Promise.all([read(modelFileName(base)), read(stateFileName(base))]).catch(() => undefined);
  return files !== undefined && belongTogether(...files);
}

/**
 * The two files of the checkpoint `base`, which may be in shards, under the names that the session expects for `name`.
 */
export async function loadCheckpoint(base: string, name: string): Promise<Files> {
  const joined = await loadShards(base);
  if (joined) return { [modelFileName(name)]: joined.model, [stateFileName(name)]: joined.state };
  const [modelFile, stateFile] = [modelFileName(base), stateFileName(base)];
  const [model, previous, state] = await Promise.all([
    read(modelFile),
    read(previousOf(modelFile)).catch(() => undefined),
    read(stateFile),
  ]);
  const interrupted = previous !== undefined && !belongTogether(model, state) && belongTogether(previous, state);
  return { [modelFileName(name)]: interrupted ? previous : model, [stateFileName(name)]: state };
}

async function read(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    const hint =
      'Give --resume the path that --checkpoint got: a path without ".safetensors", or the folder of --checkpoint-shards.';
    throw new LockstepError('data', `cannot read the checkpoint: ${fileReason(error)} (${file})`, hint, { file });
  }
}
