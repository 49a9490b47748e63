/** What the processes of a mode are to each other. */
import type { AlgorithmName } from '../../protocol/collective';
import type { Config } from '../../protocol/config';

export interface ModeProcesses {
  /**
   * The process group for the report, with the algorithm by which replicas average gradients and tensor groups add up
   * values, if the run has such groups; absent: one process has no group.
   */
  group?(config: Config): { readonly algorithm?: AlgorithmName };
  /** When each process seeds its generator with its own seed; absent: all draw the same numbers. */
  rankSeeds?(config: Config): 'same' | 'beforeModel' | 'afterModel';
  /** Whether process 0 sends its running statistics to the others before a forward pass. */
  broadcastsBuffers?(config: Config): boolean;
}
