/**
 * What a checkpoint says of itself, for those who list some and have no run: the page and its browser storage. Reads
 * the header of the state's file alone; whether the files are whole is for the session to say when it loads them.
 */
import { readMetadata } from '../../interop/safetensors';
import { placeOfCheckpoint } from './checkpoint-format';

export interface CheckpointSummary {
  /** Of the optimizer, before which it was taken. */
  readonly step: number;
  readonly epoch: number;
  readonly mode: string;
  readonly worldSize: number;
  /** The configuration with which it was saved. */
  readonly config: unknown;
}

/** Throws where this is no state of a checkpoint. */
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
