/** A run as a folder that PyTorch trains from; the same from the page and from the command line. Types, and a name. */

/** The rows of a run, where a script loads them. */
export const DATASET_FILE = 'dataset.safetensors';

export interface ExportedFolder {
  readonly files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Ranks that train.py has; 1: a single process. */
  readonly processes: number;
  readonly needs: TorchNeeds;
  /** What torch does otherwise than Lockstep in this run, as sentences. */
  readonly differences: readonly string[];
}

export interface TorchNeeds {
  /** '1.13' or later. */
  readonly torch: string;
  /** What needs it. */
  readonly why: string;
}
