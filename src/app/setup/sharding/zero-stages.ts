/**
 * The stages of ZeRO and the bytes that a rank keeps at each, by the paper's formulas (Rajbhandari et al., "ZeRO:
 * Memory Optimizations Toward Training Trillion Parameter Models", 2020): sharded bytes are divided by the ranks. Pure.
 */
import type { ModelStates, ShardingInfo } from '../../../protocol/session-info';

export type ZeroStage = 0 | 1 | 2 | 3;

export const STAGES: readonly { readonly stage: ZeroStage; readonly word: string; readonly about: string }[] = [
  { stage: 0, word: 'all of it', about: 'DDP: every rank keeps the whole model and all states.' },
  { stage: 1, word: 'states in shards', about: 'ZeroRedundancyOptimizer: each rank steps some of the parameters.' },
  {
    stage: 2,
    word: 'and gradients',
    about: 'fully_shard with reshard_after_forward=False: parameters are gathered once in a step.',
  },
  {
    stage: 3,
    word: 'and parameters',
    about: 'fully_shard: each unit is gathered before it computes, in both passes, and then freed.',
  },
];

/**
 * The bytes kept between two steps. At stage 2 a rank keeps shards of the parameters, too, but the whole parameters
 * live through the step, and the paper counts these.
 */
export function keptAt(stage: ZeroStage, { whole, ranks }: Pick<ShardingInfo, 'whole' | 'ranks'>): ModelStates {
  const sliced = (from: ZeroStage, bytes: number): number => (stage >= from ? bytes / ranks : bytes);
  return {
    parameters: sliced(3, whole.parameters),
    gradients: sliced(2, whole.gradients),
    states: sliced(1, whole.states),
  };
}
