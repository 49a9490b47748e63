/**
 * Describes a checkpoint to code that lists checkpoints without a run: the page and its browser storage. Reads only the
 * header of the state's file; the session checks the files when it loads them.
 */
import { readMetadata } from '../../interop/safetensors';
import { placeOfCheckpoint } from './checkpoint-format';

export interface CheckpointSummary {
  /** The optimizer step before which it was taken. */
  readonly step: number;
  readonly epoch: number;
  readonly mode: string;
  readonly worldSize: number;
  /** The configuration with which it was saved. */
  readonly config: unknown;
}

/** Throws if the bytes are not the state file of a checkpoint. */
export function describeCheckpoint(file: string, state: Uint8Array<ArrayBuffer>): CheckpointSummary {
  const meta = readMetadata(file, state);
  return {
    step: placeOfCheckpoint(meta).step,
    epoch: Number(meta['epoch']),
    mode: meta['mode'] ?? '',
    worldSize: Number(meta['world_size']),
    config: JSON.parse(meta['config'] ?? 'null'),
  };
}
