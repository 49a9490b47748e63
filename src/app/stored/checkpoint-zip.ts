/**
 * Converts a checkpoint to one download, and back: a .zip with both files, or the two files side by side. A sharded
 * checkpoint is a .zip of its folder, or the files in it. Pure.
 */
import { Inflate, zipSync } from 'fflate';
import type { CheckpointFiles, Files } from '../../protocol/session';
import { joinShards } from '../../session/join-shards';
import { unzip } from '../../session/unpack-zip';

const STATE = '.state.safetensors';
const MODEL = '.safetensors';
const [INDEX, FIRST] = ['index.json', 'rank0.safetensors'];

export const zipOf = (name: string, { model, state }: CheckpointFiles): Uint8Array<ArrayBuffer> =>
  // Weights hardly shrink; 0 stores them as they are.
  zipSync({ [`${name}${MODEL}`]: model, [`${name}${STATE}`]: state }, { level: 0 });

/** A folder of this name with the index and the ranks' files, which `--resume` reads once it is unpacked. */
export const zipOfShards = (name: string, shards: Files): Uint8Array<ArrayBuffer> =>
  zipSync({ [name]: { ...shards } }, { level: 0 });

export interface NamedCheckpoint {
  readonly name: string;
  readonly files: CheckpointFiles;
}

/** Enough for the weights and optimizer states of the largest models that a page trains. */
const MOST_BYTES = 2 ** 30;

/** The checkpoint among chosen or dropped files; undefined if there is none, or only half of one. */
export function checkpointAmong(files: Files): NamedCheckpoint | undefined {
  const all = Object.entries(files).flatMap(([name, bytes]) =>
    /\.zip$/i.test(name) ? unzipped(name, bytes) : [[name, bytes] as const],
  );
  const first = all.find(([name]) => /(^|\/)rank0\.safetensors$/.test(name));
  const folder = first?.[0].slice(0, -FIRST.length) ?? '';
  if (first && all.some(([name]) => name === `${folder}${INDEX}`)) return joinedFrom(folder, Object.fromEntries(all));
  const state = all.find(([name]) => name.endsWith(STATE));
  if (!state) return undefined;
  const base = state[0].slice(0, -STATE.length);
  const model = all.find(([name]) => name === `${base}${MODEL}`);
  return model && { name: base.split('/').at(-1) ?? base, files: { model: model[1], state: state[1] } };
}

function unzipped(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): readonly (readonly [string, Uint8Array<ArrayBuffer>])[] {
  return unzip(name, bytes, (inside) => inside.endsWith(MODEL) || inside.endsWith(INDEX), MOST_BYTES, Inflate);
}

/** Joins a sharded checkpoint. `folder`: with a slash at its end, or ''. */
function joinedFrom(folder: string, files: Files): NamedCheckpoint {
  const own = Object.entries(files).flatMap(([name, bytes]) =>
    name.startsWith(folder) ? [[name.slice(folder.length), bytes] as const] : [],
  );
  const name = folder.split('/').at(-2) ?? 'checkpoint';
  return { name, files: joinShards(name, Object.fromEntries(own)) };
}
