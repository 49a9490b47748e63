/**
 * Assembles the two files of a checkpoint from the index and the ranks' files, with the saved bits. Errors name the
 * file and the tensor that is missing or damaged; read-checkpoint.ts then checks the checksums. Called by the command
 * line and the page.
 */
import * as v from 'valibot';
import { brief } from '../../base/brief';
import { LockstepError } from '../../base/errors';
import { lookup } from '../../base/lookup';
import { tooMuchOf } from '../../base/reading-bounds';
import { type NamedTensor, readSafetensors, type TensorData, writeSafetensors } from '../../interop/safetensors';
import type { CheckpointFiles, Files } from '../../protocol/session';
import { merge } from '../../sharding/slice';
import { elements, formatShape } from '../../tensor/shape';
import { IN_MODEL } from './checkpoint-format';
import { asPiece, INDEX, indexSchema, rankFile, type ShardedTensor, type ShardIndex } from './shard-format';

/** `folder`: its name for messages. `files`: the index and the ranks' files, by name. */
export function joinShards(folder: string, files: Files): CheckpointFiles {
  const named = (file: string): string => `${folder}/${file}`;
  const index = readIndex(named(INDEX), lookup(files, INDEX));
  const held = new Map<string, ReadonlyMap<string, NamedTensor>>();
  for (let rank = 0; rank < index.ranks; rank++) {
    const file = rankFile(rank);
    const bytes = lookup(files, file);
    if (!bytes)
      throw new LockstepError(
        'data',
        `${named(file)} is missing: the index names ${index.ranks} ranks.`,
        'A checkpoint in shards is a folder with index.json and one file for each rank.',
        { file: named(file) },
      );
    held.set(file, new Map(readSafetensors(named(file), bytes).map((tensor) => [tensor.name, tensor])));
  }

  const partOf = (file: string, name: string): NamedTensor => {
    const own = held.get(file);
    if (!own)
      throw damaged(
        named(INDEX),
        `the index says that tensor "${name}" is in "${brief(file)}", which is not a rank's file`,
      );
    const tensor = own.get(name);
    if (tensor) return tensor;
    throw damaged(named(file), `tensor "${name}" of the index is missing`);
  };
  const whole = (name: string, { shape, pieces }: ShardedTensor): TensorData => {
    const [first] = pieces;
    if (!first) throw damaged(named(INDEX), `tensor "${name}" has no pieces`);
    const { data: only } = partOf(first.file, name);
    if (first.ranges === undefined) return only;
    const parts = pieces.map((piece) => {
      const { data } = partOf(piece.file, name);
      if (data instanceof Float32Array || data instanceof Int32Array) return { piece: asPiece(piece), data };
      throw damaged(named(piece.file), `tensor "${name}" has a type that is not cut`);
    });
    try {
      // A damaged index must not make us allocate more memory than the files have.
      if (elements(shape) > parts.reduce((sum, { data }) => sum + data.length, 0)) throw new Error('too few elements');
      return merge(shape, parts);
    } catch {
      throw damaged(named(INDEX), `the pieces of tensor "${name}" do not make ${formatShape(shape)}`);
    }
  };
  const joined = (tensors: ShardIndex['model']['tensors'], prefix: string): readonly NamedTensor[] =>
    Object.entries(tensors).map(([name, stored]) => {
      const data = whole(prefix + name, stored);
      if (data.length !== elements(stored.shape))
        throw damaged(named(INDEX), `tensor "${name}" has ${data.length} elements, not ${formatShape(stored.shape)}`);
      return { name, shape: stored.shape, data };
    });
  return {
    model: writeSafetensors(joined(index.model.tensors, IN_MODEL), index.model.metadata),
    state: writeSafetensors(joined(index.state.tensors, ''), index.state.metadata),
  };
}

const damaged = (file: string, what: string): LockstepError =>
  new LockstepError('data', `${file}: ${what}.`, 'The file is damaged, or it belongs to another save.', { file });

function readIndex(file: string, bytes: Uint8Array<ArrayBuffer> | undefined): ShardIndex {
  if (!bytes) throw new LockstepError('data', `${file} is missing.`, 'It says where the pieces are.', { file });
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw damaged(file, 'it is not JSON');
  }
  const tooMuch = tooMuchOf(found, bytes.length);
  if (tooMuch !== undefined) throw damaged(file, `it cannot be read: ${tooMuch}`);
  const checked = v.safeParse(indexSchema, found);
  if (checked.success) return checked.output;
  throw damaged(file, 'it is not the index of a checkpoint in shards');
}
