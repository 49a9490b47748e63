/**
 * Reads the two files of a checkpoint: both must exist, be undamaged and come from one save. Errors name file, tensor
 * and byte. resume-plan.ts decides whether a run can continue from the checkpoint. Called by blueprint.ts.
 */

import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import { tooMuchOf } from '../../base/reading-bounds';
import type { BatchState } from '../../data/batch-source';
import { type NamedTensor, readMetadata, readSafetensors, tensorByte } from '../../interop/safetensors';
import type { Files } from '../../protocol/session';
import type { DeviceIndex } from '../../protocol/trace';
import { generatorFrom } from '../../tensor/rng-state';
import type { Shape } from '../../tensor/shape';
import {
  batchTensors,
  type Checksums,
  FORMAT,
  headerSum,
  IN_MODEL,
  isOwn,
  LEFT_JOIN,
  placeOfCheckpoint,
  rankGeneratorTensor,
  type ValueMap,
  VERSION,
} from './checkpoint-format';
import { crc32 } from './crc32';
import { modelFileName, stateFileName } from './file-names';
import type { TorchGroup } from './torch-groups';

/** A value and the devices that held it or pieces of it. */
export interface SavedValue {
  /** The value is one device's own; other devices held other values. */
  readonly own: boolean;
  readonly shape: Shape;
  readonly data: Float32Array;
  readonly devices: readonly DeviceIndex[];
}
export type SavedValues = ReadonlyMap<string, readonly SavedValue[]>;

export interface SavedCheckpoint {
  readonly name: string;
  /** The next micro-batch to run. */
  readonly microBatch: number;
  /** Micro-batches per step. */
  readonly accumulate: number;
  /** The epoch of the last micro-batch that ran; -1 before the first. */
  readonly epoch: number;
  readonly mode: string;
  readonly placement: string;
  readonly worldSize: number;
  readonly groups: readonly TorchGroup[];
  readonly parameterNames: readonly string[];
  /** The saved configuration, for comparison, and for the page, which parses it again. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly values: SavedValues;
  readonly reference: SavedValues;
  readonly batches: BatchState;
  /** The model's names had `module.` in front. */
  readonly wrapped: boolean;
  /** The saved run ended within an epoch and left join() there. */
  readonly leftJoin: boolean;
}

/** Version 1 only has different names for the two counts. */
const READABLE: readonly string[] = ['1', VERSION];

type Bytes = Uint8Array<ArrayBuffer>;

/** Throws if a file is missing, is not part of a checkpoint, or is damaged. */
export function readCheckpoint(name: string, files: Files): SavedCheckpoint {
  const [modelName, stateName] = [modelFileName(name), stateFileName(name)];
  const [model, state] = [lookup(files, modelName), lookup(files, stateName)];
  if (!model || !state) throw missing(name, model ? [stateName] : state ? [modelName] : [modelName, stateName]);
  const tensors = readSafetensors(stateName, state);
  const meta = readMeta(stateName, state);
  const checksums = meta.json<Checksums>('crc32');
  const header = headerSum(readMetadata(stateName, state));
  if (checksums.header !== header) {
    throw new LockstepError(
      'data',
      `${stateName}, byte 8: the header has changed since it was saved (CRC-32 ${header.toString(16)}, saved ${checksums.header?.toString(16)}).`,
      'The file is damaged, or several processes wrote to it.',
      { file: stateName, byte: 8 },
    );
  }
  check(stateName, state, tensors, checksums.state, '');
  const wrapped = readSafetensors(modelName, model);
  const modelTensors = readSafetensors(modelName, model, { stripModule: true });
  check(
    modelName,
    model,
    modelTensors,
    checksums.model,
    `It is not the file that was saved together with ${stateName}, or it is damaged.`,
  );
  const byName = new Map(tensors.map((t) => [t.name, t]));
  for (const tensor of modelTensors) byName.set(IN_MODEL + tensor.name, tensor);
  const tensorOf = (key: string): NamedTensor => {
    const tensor = byName.get(key);
    if (tensor) return tensor;
    throw new LockstepError('data', `${stateName}: tensor "${key}" is missing`, 'The file is damaged.', {
      file: stateName,
    });
  };
  const valuesOf = (key: string): SavedValues =>
    new Map(
      Object.entries(meta.json<ValueMap>(key)).map(([buffer, held]) => [
        buffer,
        Object.entries(held).map(([tensor, devices]) => {
          const { shape, data } = tensorOf(tensor);
          return { own: isOwn(tensor), shape, data: Float32Array.from(data as Float32Array), devices };
        }),
      ]),
    );
  const config = meta.json<Record<string, unknown>>('config');
  return {
    name,
    microBatch: meta.microBatch,
    accumulate: Number(config['accumulate'] ?? 1),
    epoch: Number(meta.text('epoch')),
    mode: meta.text('mode'),
    placement: meta.text('placement'),
    worldSize: meta.count('world_size'),
    groups: meta.json<readonly TorchGroup[]>('param_groups'),
    parameterNames: meta.json<readonly string[]>('parameter_names'),
    config,
    values: valuesOf('values'),
    reference: valuesOf('twin_values'),
    batches: batchState(meta, tensorOf, stateName),
    wrapped: wrapped.some((tensor) => tensor.name.startsWith('module.')),
    leftJoin: meta.has(LEFT_JOIN),
  };
}

function missing(name: string, names: readonly string[]): LockstepError {
  const found = names.length === 2 ? 'neither of its files was' : `${names[0]} was not`;
  return new LockstepError(
    'data',
    `The checkpoint "${name}" cannot be read: ${found} given.`,
    `A checkpoint is two files, ${modelFileName(name)} and ${stateFileName(name)}. To start from weights alone, set "weights".`,
    { files: names },
  );
}

interface Meta {
  readonly microBatch: number;
  has(key: string): boolean;
  text(key: string): string;
  count(key: string): number;
  json<T>(key: string): T;
}

/** The metadata of the file. The rest needs no checks, because matching checksums show that Lockstep wrote it. */
function readMeta(file: string, bytes: Bytes): Meta {
  const found = readMetadata(file, bytes);
  const refuse = (what: string, hint: string) =>
    new LockstepError('data', `${file}, byte 8: ${what}`, hint, { file, byte: 8 });
  if (found['format'] !== FORMAT)
    throw refuse('this is not the state file of a Lockstep checkpoint', 'To start from weights alone, set "weights".');
  const { version = '' } = found;
  if (!READABLE.includes(version)) {
    const known = READABLE.join(' and ');
    throw refuse(
      `the checkpoint has version ${version}, but this Lockstep reads ${known}`,
      'Save the checkpoint with this version of Lockstep.',
    );
  }
  const text = (key: string): string => {
    const value = lookup(found, key);
    if (value === undefined) throw refuse(`the entry "${key}" is missing`, 'The file is damaged.');
    return value;
  };
  const count = (key: string, value = Number(text(key))): number => {
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw refuse(`"${key}" is ${value}, expected a whole number`, 'The file is damaged.');
  };
  return {
    has: (key) => lookup(found, key) !== undefined,
    text,
    count,
    microBatch: count('micro_batch', placeOfCheckpoint(found).microBatch),
    json<T>(key: string): T {
      const json = text(key);
      let value: T;
      try {
        value = JSON.parse(json) as T;
      } catch {
        throw refuse(`the entry "${key}" is not JSON`, 'The file is damaged.');
      }
      const tooMuch = tooMuchOf(value, json.length);
      if (tooMuch === undefined) return value;
      throw refuse(`the entry "${key}" cannot be read: ${tooMuch}`, 'The file is damaged.');
    },
  };
}

/** Checks that every tensor has the saved bits. */
function check(
  file: string,
  bytes: Bytes,
  tensors: readonly NamedTensor[],
  sums: Readonly<Record<string, number>>,
  pair: string,
): void {
  for (const { name, data } of tensors) {
    const expected = lookup(sums, name);
    // load_state_dict reports unknown names.
    if (expected === undefined || expected === crc32(data)) continue;
    const names = [name, `module.${name}`].filter((n) => readSafetensors(file, bytes).some((t) => t.name === n));
    const byte = tensorByte(file, bytes, must(names[0], name));
    throw new LockstepError(
      'data',
      `${file}, byte ${byte}: tensor "${name}" has changed since it was saved (CRC-32 ${crc32(data).toString(16)}, saved ${expected.toString(16)}).`,
      pair || 'The file is damaged.',
      { file, byte, tensor: name },
    );
  }
}

function batchState(meta: Meta, tensorOf: (key: string) => NamedTensor, file: string): BatchState {
  const processes = meta.count('processes');
  const ranks = meta.has('drawing_ranks') ? meta.count('drawing_ranks') : 0;
  const generatorOf = (name: string) => generatorFrom(tensorOf(name).data as Uint8Array, `${file}, tensor "${name}"`);
  const all = Array.from({ length: processes }, (_, p) => batchTensors(p));
  const batches = all.map(({ rows, sizes }) => {
    const ids = Int32Array.from(tensorOf(rows).data as Int32Array);
    let offset = 0;
    return Array.from(tensorOf(sizes).data as Int32Array, (size) => {
      offset += size;
      return ids.slice(offset - size, offset);
    });
  });
  return {
    microBatch: meta.microBatch,
    epoch: Number(meta.text('epoch')),
    batches,
    generators: all.map(({ rng }) => generatorOf(rng)),
    ...(ranks > 0 ? { ofRanks: Array.from({ length: ranks }, (_, r) => generatorOf(rankGeneratorTensor(r))) } : {}),
  };
}
