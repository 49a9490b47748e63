/** A checkpoint as one download, and back: a .zip that holds both files, or the two files side by side. Pure. */
import { Inflate, zipSync } from 'fflate';
import type { CheckpointFiles, Files } from '../../protocol/session';
import { unzip } from '../../session/unpack-zip';

const STATE = '.state.safetensors';
const MODEL = '.safetensors';

export const zipOf = (name: string, { model, state }: CheckpointFiles): Uint8Array<ArrayBuffer> =>
  // Weights hardly shrink; 0 stores them as they are.
  zipSync({ [`${name}${MODEL}`]: model, [`${name}${STATE}`]: state }, { level: 0 });

export interface NamedCheckpoint {
  readonly name: string;
  readonly files: CheckpointFiles;
}

/** Weights and an optimizer's states, of the largest models that a page trains. */
const MOST_BYTES = 2 ** 30;

/** The checkpoint among files that were chosen or dropped; undefined where they hold none, or half of one. */
export function checkpointAmong(files: Files): NamedCheckpoint | undefined {
  const all = Object.entries(files).flatMap(([name, bytes]) =>
    /\.zip$/i.test(name) ? unzipped(name, bytes) : [[name, bytes] as const],
  );
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
  return unzip(name, bytes, (inside) => inside.endsWith(MODEL), MOST_BYTES, Inflate);
}
