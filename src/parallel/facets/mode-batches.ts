/** How the processes of a mode take and cut their batches. */
import type { Config } from '../../protocol/config';

export interface ModeBatches {
  /**
   * 'distributed': each data index has its own sampler (a DistributedSampler), even if there is only one.
   * 'distributedWhole': the same, and dropLast also leaves out a short last batch, not only rows of the sampler.
   * Absent: one loader for all.
   */
  sampler?(config: Config): 'distributed' | 'distributedWhole' | undefined;
  /** Settings of the mode's sections that decide the order of rows: 'ddp.setEpoch'. */
  readonly settings?: readonly string[];
  /**
   * The number of pieces into which torch.tensor_split cuts each batch, all in one Program: a pipeline's micro-batches.
   * Absent: a batch is not cut.
   */
  pieces?(config: Config, rows: readonly number[]): number;
  /**
   * Whether each rank of those that share a batch draws dropout masks from its own generator; absent: one generator for
   * all.
   */
  ranksDraw?(config: Config): boolean;
}
