/**
 * What the pieces of a PyTorch script call devices and rows: the listing and train.py have other words for them
 * (dialect.ts).
 */
import type { CodeLine } from './code-line';

export interface Wording {
  /** Python expressions: the device of a parameter server; whether rows of a process with one device go to a GPU. */
  readonly server: string;
  readonly pinned: string;
  /** Device k, where one process drives several; `k` is a number, or a Python expression of one. */
  nth(k: number | string): string;
  /** A Python list of the devices of layers or workers, by their numbers; and the device of layer i in it. */
  list(devices: readonly number[]): string;
  layer(device: number, i: number): string;
  /** Statement that wraps the model in DataParallel; `devices`: numbers with commas between. */
  dataParallel(devices: string): string;
  /** Argument `device_ids` of DistributedDataParallel. */
  readonly deviceIds: string;
  /** DistributedDataParallel's argument that says whether buffers are broadcast before a forward pass. */
  readonly syncBuffers: 'forward_sync_buffers' | 'broadcast_buffers';
  /** DataLoader, with what says which rows a batch has; `pinned`: a Python expression. */
  loader(batches: BatchArguments, pinned: string): readonly string[];
  /** What puts a loss out; `ranks`: of each rank its own, of which one is printed. */
  loss(expression: string, ranks: boolean): readonly CodeLine[];
  /** The same for a pipeline, whose last rank has in `losses` those of the micro-batches; `dp`: replicas. */
  pipelineLoss(dp: number): readonly CodeLine[];
}

/** How a loader puts rows into batches. */
export interface BatchArguments {
  readonly dataset: string;
  readonly batchSize: number;
  /** A sampler by name; absent: the loader's own. */
  readonly sampler?: string;
  readonly shuffle: boolean;
  readonly dropLast: boolean;
}
