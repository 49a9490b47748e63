/**
 * Loads parameters and running statistics from a .safetensors file in place of the drawn ones, as model.load_state_dict
 * does: the file must have exactly the tensors of the model, with the right shapes. A tied weight may have both of its
 * names or one. Called by blueprint.ts.
 */

import { brief, firstFew } from '../../base/brief';
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import { type NamedTensor, readSafetensors } from '../../interop/safetensors';
import { LOSS_WEIGHTS } from '../../nn/losses';
import type { InitialBuffer, InitialParameter } from '../../nn/model';
import type { TiedName } from '../../nn/tied';
import type { Files } from '../../protocol/session';
import { elements, formatShape, type HostArray, sameShape } from '../../tensor/shape';

export interface InitialModelState {
  readonly parameters: readonly InitialParameter[];
  readonly buffers: readonly InitialBuffer[];
}

/** `drawn`: the state that the file replaces. */
export function initialWeights(
  file: string,
  files: Files,
  drawn: InitialModelState,
  tied: readonly TiedName[] = [],
): InitialModelState {
  const bytes = lookup(files, file);
  if (!bytes)
    throw new LockstepError(
      'data',
      `The weights file "${brief(file)}" was not given.`,
      'Drop the file on the page, or give its path relative to the configuration file.',
    );
  const tensors = new Map(readSafetensors(file, bytes, { stripModule: true }).map((t) => [t.name, t]));
  // Class weights belong to the loss: no model's state_dict has them.
  const ofModel = drawn.buffers.filter(({ name }) => name !== LOSS_WEIGHTS);
  checkKeys(file, tensors, { parameters: drawn.parameters, buffers: ofModel }, tied);

  const aliases = (name: string): readonly string[] => tied.flatMap((t) => (t.source === name ? [t.name] : []));
  const parameters = drawn.parameters.map((p) => {
    // load_state_dict copies name by name into one tensor, so the last name wins.
    const found = [p.name, ...aliases(p.name)].flatMap((name) => tensors.get(name) ?? []);
    for (const tensor of found) checkShape(file, tensor, p.shape);
    const { data, name } = must(found.at(-1), p.name);
    if (!(data instanceof Float32Array)) throw wrongType(file, name, 'torch.float32');
    return { ...p, data: Float32Array.from(data) };
  });
  const buffers = drawn.buffers.map((b): InitialBuffer => {
    const tensor = b.name === LOSS_WEIGHTS ? undefined : tensors.get(b.name);
    if (!tensor) return b;
    checkShape(file, tensor, b.shape);
    return { ...b, data: bufferData(file, tensor, b.data) };
  });
  return { parameters, buffers };
}

function bufferData(file: string, { name, data }: NamedTensor, like: HostArray): HostArray {
  if (like instanceof Float32Array) {
    if (data instanceof Float32Array) return Float32Array.from(data);
    throw wrongType(file, name, 'torch.float32');
  }
  if (data instanceof Float32Array) throw wrongType(file, name, 'torch.int64');
  return Int32Array.from(data, Number);
}

const wrongType = (file: string, name: string, expected: string): LockstepError =>
  new LockstepError('data', `${file}: tensor "${name}" is not ${expected}.`, 'Save the state_dict of the same model.', {
    file,
    name,
  });

function checkKeys(
  file: string,
  tensors: ReadonlyMap<string, NamedTensor>,
  { parameters, buffers }: InitialModelState,
  tied: readonly TiedName[],
): void {
  const has = (name: string): boolean =>
    tensors.has(name) || tied.some((t) => t.source === name && tensors.has(t.name));
  // torch adds num_batches_tracked if a file without versions lacks it.
  const wanted = [
    ...parameters.map((p) => p.name),
    ...buffers.flatMap((b) => (/(^|\.)num_batches_tracked$/.test(b.name) ? [] : [b.name])),
  ];
  const known = new Set([...wanted, ...buffers.map((b) => b.name), ...tied.map((t) => t.name)]);
  const quote = (names: readonly string[]): string => firstFew(names.map((name) => `"${name}"`));
  const missing = wanted.filter((name) => !has(name));
  const unexpected = [...tensors.keys()].filter((name) => !known.has(name));
  if (missing.length === 0 && unexpected.length === 0) return;
  const parts = [
    ...(missing.length > 0 ? [`Missing key(s) in state_dict: ${quote(missing)}.`] : []),
    ...(unexpected.length > 0 ? [`Unexpected key(s) in state_dict: ${quote(unexpected)}.`] : []),
  ];
  throw new LockstepError(
    'data',
    `Error(s) in loading state_dict from ${file}: ${parts.join(' ')}`,
    `The names of the model's parameters begin with ${wanted.slice(0, 3).join(', ')}${wanted.length > 3 ? ' ...' : ''}. A layer's "name" sets the name of its parameters.`,
  );
}

/** A scalar has the shape [1] here. */
function checkShape(file: string, { name, shape }: NamedTensor, wanted: readonly number[]): void {
  if (sameShape(shape, wanted) || (shape.length === 0 && elements(wanted) === 1 && wanted.length === 1)) return;
  throw new LockstepError(
    'shape',
    `size mismatch for ${name}: copying a param with shape torch.Size(${formatShape(shape)}) from ${file}, the shape in current model is torch.Size(${formatShape(wanted)}).`,
    'The file was saved from a model with other layers.',
  );
}
