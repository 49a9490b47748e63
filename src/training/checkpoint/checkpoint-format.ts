/**
 * The format of a checkpoint's two files: their names, what their tensors are called, and the checksums by which they
 * are known to be whole and of one save. Shared by checkpoint-file.ts, which writes, read-checkpoint.ts, and the
 * command line.
 */
import { lookup } from '../../base/lookup';
import { readMetadata, readSafetensors } from '../../interop/safetensors';
import type { DeviceIndex } from '../../protocol/trace';
import { crc32 } from './crc32';

export const FORMAT = 'lockstep checkpoint';
/** Version 1 counted micro-batches as `step`. */
export const VERSION = '2';

/** Where a checkpoint was taken, from what the state's file says of itself, in the version in which it was written. */
export function placeOfCheckpoint(meta: Readonly<Record<string, string>>): {
  readonly step: number;
  readonly microBatch: number;
} {
  return meta['version'] === '1'
    ? { step: Number(meta['optimizer_steps']), microBatch: Number(meta['step']) }
    : { step: Number(meta['step']), microBatch: Number(meta['micro_batch']) };
}
/** Before the name of a tensor that is in the model's file. */
export const IN_MODEL = 'model:';
/** Before the names of what belongs to the single-device reference. */
export const REFERENCE_PREFIX = 'twin/';

/** Behind the name of a tensor that this device holds otherwise than the tensor without it says. */
export const ofDevice = (device: DeviceIndex): string => `@cuda:${device}`;
/** Is it one device's own, and not the whole tensor of which every device has its piece? */
export const isOwn = (tensor: string): boolean => /@cuda:\d+$/.test(tensor);

/** For each buffer, which tensor which devices hold. */
export type ValueMap = Readonly<Record<string, Readonly<Record<string, readonly DeviceIndex[]>>>>;

/** Checksums of the tensors of both files: those of a pair, undamaged. */
export interface Checksums {
  readonly model: Readonly<Record<string, number>>;
  readonly state: Readonly<Record<string, number>>;
  readonly header: number;
}

/**
 * State tensors of process p that say where its batches are: row ids of the epoch, how many each batch has, the
 * generator.
 */
export const batchTensors = (p: number) => ({
  rows: `sampler.${p}.rows`,
  sizes: `sampler.${p}.sizes`,
  rng: `rng_state.${p}`,
});

/** The generator of a rank that draws dropout masks by itself. */
export const rankGeneratorTensor = (rank: number): string => `rng_state.rank${rank}`;

/** Is this the model that was saved with this state? A file that cannot be read is not. */
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

/** Of what the state's file says of itself, the checksums aside. */
export const headerSum = (meta: Readonly<Record<string, string>>): number =>
  crc32(new TextEncoder().encode(JSON.stringify(Object.entries(meta).filter(([key]) => key !== 'crc32'))));
