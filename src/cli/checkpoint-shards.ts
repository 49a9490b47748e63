/**
 * Checkpoints in shards in the file system: a folder with an index and a file for each rank. Saving is atomic: the new
 * folder is written beside the old one and reaches the disk first; then the old one is renamed to `<base>.previous` and
 * the new one gets its name. A save interrupted between the two renames leaves the previous checkpoint, which loading
 * then uses. Called by train.ts and checkpoint-files.ts.
 */
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import type { CheckpointFiles, Files } from '../protocol/session';
import { joinShards } from '../training/checkpoint/join-shards';
import { INDEX } from '../training/checkpoint/shard-format';
import { fileReason } from './file-error';
import { writeThrough } from './write-through';

const previousOf = (base: string): string => `${base}.previous`;

const isThere = async (file: string): Promise<boolean> => (await stat(file).catch(() => undefined)) !== undefined;
const isCheckpoint = (folder: string): Promise<boolean> => isThere(path.join(folder, INDEX));

/** Throws if a folder or file of this name is not a sharded checkpoint, because a save would replace it. */
export async function checkShardsPlace(base: string): Promise<void> {
  if (!(await isThere(base)) || (await isCheckpoint(base))) return;
  throw new LockstepError(
    'config',
    `cannot write the checkpoint ${base}: a file or folder of that name exists and is not a checkpoint in shards`,
    'Give --checkpoint the path of a folder that does not exist, or that --checkpoint-shards has written.',
    { base },
  );
}

export async function saveShards(base: string, files: Files): Promise<void> {
  await checkShardsPlace(base);
  const made = `${base}.${process.pid}.tmp`;
  try {
    await rm(made, { recursive: true, force: true });
    await mkdir(made);
    for (const [name, bytes] of Object.entries(files)) await writeThrough(path.join(made, name), bytes);
    // After an interrupted save, the previous checkpoint may be the only one.
    if (await isCheckpoint(base)) {
      await rm(previousOf(base), { recursive: true, force: true });
      await rename(base, previousOf(base));
    }
    await rename(made, base);
    await rm(previousOf(base), { recursive: true, force: true });
  } catch (error) {
    await rm(made, { recursive: true, force: true }).catch(() => undefined);
    const hint = 'The folder above must exist and be writable. The previous checkpoint is unchanged.';
    throw new LockstepError('data', `cannot write the checkpoint ${base}: ${fileReason(error)}`, hint, { base });
  }
}

/** undefined: no sharded checkpoint has this name. */
export async function loadShards(base: string): Promise<CheckpointFiles | undefined> {
  const folders = [base, previousOf(base)];
  for (const folder of folders) {
    if (!(await isCheckpoint(folder))) continue;
    const own = (await readdir(folder)).filter((name) => name === INDEX || /^rank\d+\.safetensors$/.test(name));
    const files = await Promise.all(
      own.map(async (name) => [name, new Uint8Array(await readFile(path.join(folder, name)))] as const),
    );
    return joinShards(folder, Object.fromEntries(files));
  }
  return undefined;
}
