/**
 * The format of a checkpoint's two files: their names, their tensors' names, and the checksums that show that both are
 * undamaged and from one save. Shared by checkpoint-file.ts, which writes, read-checkpoint.ts, and the command line.
 */
import { lookup } from '../../base/lookup';
import { readMetadata, readSafetensors } from '../../interop/safetensors';
import type { DeviceIndex } from '../../protocol/trace';
import { crc32 } from './crc32';

export const FORMAT = 'lockstep checkpoint';
/** Version 1 counted micro-batches as `step`. */
export const VERSION = '2';

/** The step at which a checkpoint was taken, from the metadata of the state's file in its own version. */
export function placeOfCheckpoint(meta: Readonly<Record<string, string>>): {
  readonly step: number;
  readonly microBatch: number;
} {
  return meta['version'] === '1'
    ? { step: Number(meta['optimizer_steps']), microBatch: Number(meta['step']) }
    : { step: Number(meta['step']), microBatch: Number(meta['micro_batch']) };
}
/**
 * Metadata of a checkpoint whose run ended within an epoch and left join() there: all ranks have the last rank's model,
 * which may differ from the models that they had before. train.py writes it, too.
 */
export const LEFT_JOIN = 'left_join';
/** Prefix of the name of a tensor in the model's file. */
export const IN_MODEL = 'model:';
/** Prefix of the names of the single-device reference's tensors. */
export const REFERENCE_PREFIX = 'twin/';

/** Suffix of a tensor that this device holds with other values than the tensor without suffix. */
export const ofDevice = (device: DeviceIndex): string => `@cuda:${device}`;
/** Whether the tensor belongs to one device, and is not the whole tensor from which every device has its piece. */
export const isOwn = (tensor: string): boolean => /@cuda:\d+$/.test(tensor);

/** For each buffer, which tensor which devices hold. */
export type ValueMap = Readonly<Record<string, Readonly<Record<string, readonly DeviceIndex[]>>>>;

/** Checksums of the tensors of both files, when saved. */
export interface Checksums {
  readonly model: Readonly<Record<string, number>>;
  readonly state: Readonly<Record<string, number>>;
  readonly header: number;
}

/**
 * State tensors of process p for its place in the batches: the epoch's row ids, the size of each batch, the generator.
 */
export const batchTensors = (p: number) => ({
  rows: `sampler.${p}.rows`,
  sizes: `sampler.${p}.sizes`,
  rng: `rng_state.${p}`,
});

/** The generator of a rank that draws its own dropout masks. */
export const rankGeneratorTensor = (rank: number): string => `rng_state.rank${rank}`;

/** Whether this model was saved with this state; false if a file cannot be read. */
export function belongTogether(model: Uint8Array<ArrayBuffer>, state: Uint8Array<ArrayBuffer>): boolean {
  try {
    const { model: expected } = JSON.parse(readMetadata('', state)['crc32'] ?? '') as Checksums;
    const found = readSafetensors('', model, { stripModule: true });
    return (
      found.length === Object.keys(expected).length && found.every((t) => lookup(expected, t.name) === crc32(t.data))
    );
  } catch {
    return false;
  }
}

/** The checksum of the metadata of the state's file, without the checksums. */
export const headerSum = (meta: Readonly<Record<string, string>>): number =>
  crc32(new TextEncoder().encode(JSON.stringify(Object.entries(meta).filter(([key]) => key !== 'crc32'))));
