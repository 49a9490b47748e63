/** A run exported as a folder from which PyTorch trains, by the page or the command line. Types, and a name. */

/** The rows of a run, where a script loads them. */
export const DATASET_FILE = 'dataset.safetensors';

export interface ExportedFolder {
  readonly files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Number of ranks of train.py; 1: a single process. */
  readonly processes: number;
  readonly needs: TorchNeeds;
  /** Sentences about what torch does differently from Lockstep in this run. */
  readonly differences: readonly string[];
}

export interface TorchNeeds {
  /** '1.13' or later. */
  readonly torch: string;
  /** The feature that needs this version. */
  readonly why: string;
}
