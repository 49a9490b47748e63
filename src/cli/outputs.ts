/**
 * The files that a run writes. They are checked before it starts, so that long training does not fail at the end
 * because of a mistyped folder, and no file overwrites another. Called by train.ts and collectives.ts.
 */
import { access, constants, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import { modelFileName, stateFileName } from '../training/checkpoint/file-names';
import { checkShardsPlace } from './checkpoint-shards';
import { fileReason } from './file-error';
import type { TrainOptions } from './train-usage';

type Named = Partial<
  Pick<
    TrainOptions,
    'config' | 'out' | 'trace' | 'save' | 'dataset' | 'checkpoint' | 'checkpointShards' | 'flightRecorder'
  >
>;

/** Throws if a file cannot be written, or two options name the same file. */
export async function checkOutputs({
  config,
  out,
  trace,
  save,
  dataset,
  checkpoint,
  checkpointShards = false,
  flightRecorder,
}: Named): Promise<void> {
  if (checkpoint !== undefined && checkpointShards) await checkShardsPlace(checkpoint);
  const taken = new Map(config === undefined || config === '-' ? [] : [[path.resolve(config), '--config']]);
  for (const [option, file] of Object.entries({
    '--out': out,
    '--trace': trace,
    '--save': save,
    '--dataset': dataset,
    '--flight-recorder': flightRecorder,
    ...(checkpoint === undefined || checkpointShards
      ? {}
      : { '--checkpoint': modelFileName(checkpoint), '--checkpoint (state)': stateFileName(checkpoint) }),
  })) {
    if (file === undefined) continue;
    const full = path.resolve(file);
    const other = taken.get(full);
    if (other !== undefined) {
      throw new LockstepError(
        'config',
        `${other} and ${option} name the same file: ${file}`,
        'Give each output a file of its own.',
      );
    }
    taken.set(full, option);
    await checkWritable(full).catch((error: unknown) => {
      throw unwritable(file, error);
    });
  }
}

async function checkWritable(file: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  await access(there === undefined ? path.dirname(file) : file, constants.W_OK);
}

/** Writes a file, whole or in pieces. */
export async function write(file: string, content: string | Uint8Array | Iterable<string>): Promise<void> {
  await writeFile(file, content).catch((error: unknown) => {
    throw unwritable(file, error);
  });
}

const unwritable = (file: string, error: unknown): LockstepError =>
  new LockstepError('config', `cannot write ${file}: ${fileReason(error)}`, 'The folder must exist and be writable.');
