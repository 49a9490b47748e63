/** Expressions for devices and rows in a PyTorch script, which differ between the listing and train.py (dialect.ts). */
import type { CodeLine } from './code-line';

export interface Wording {
  /** Python expressions: the device of a parameter server; whether rows of a process with one device go to a GPU. */
  readonly server: string;
  readonly pinned: string;
  /** Device k, if one process drives several; `k` is a number or a Python expression. */
  nth(k: number | string): string;
  /** A Python list of the devices of layers or workers, by their numbers; and the device of layer i in it. */
  list(devices: readonly number[]): string;
  layer(device: number, i: number): string;
  /** Statement that wraps the model in DataParallel; `devices`: numbers with commas between. */
  dataParallel(devices: string): string;
  /** Argument `device_ids` of DistributedDataParallel. */
  readonly deviceIds: string;
  /** DistributedDataParallel's argument for broadcasting buffers before a forward pass. */
  readonly syncBuffers: 'forward_sync_buffers' | 'broadcast_buffers';
  /** A DataLoader with the arguments that choose the rows of a batch; `pinned`: a Python expression. */
  loader(batches: BatchArguments, pinned: string): readonly string[];
  /** Lines that print a loss; `ranks`: each rank has its own, and one is printed. */
  loss(expression: string, ranks: boolean): readonly CodeLine[];
  /**
   * The same for a pipeline, whose last rank has the micro-batches' losses in `losses`; `dp`: number of replicas; `tp`:
   * of ranks that share each layer; `isParallel`: the losses are DTensors, as loss_parallel() makes them.
   */
  pipelineLoss(ranks: { readonly dp: number; readonly tp: number }, isParallel: boolean): readonly CodeLine[];
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
