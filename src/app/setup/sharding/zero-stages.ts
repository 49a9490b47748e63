/**
 * The stages of ZeRO and the bytes that a rank keeps at each, by the paper's formulas (Rajbhandari et al., "ZeRO:
 * Memory Optimizations Toward Training Trillion Parameter Models", 2020): sharded bytes are divided by the ranks. Pure.
 */
import type { ModelStates, ShardingInfo } from '../../../protocol/session-info';

export type ZeroStage = 0 | 1 | 2 | 3;

interface StageWords {
  readonly stage: ZeroStage;
  /** What this stage shards and the stage before does not; short, because four words stand side by side. */
  readonly word: string;
  /** Everything that is sharded. */
  readonly sharded: string;
  /** PyTorch's name for it. */
  readonly torch: string;
  readonly about: string;
}

export const STAGES: readonly StageWords[] = [
  {
    stage: 0,
    word: 'nothing',
    sharded: 'nothing is sharded',
    torch: 'DistributedDataParallel',
    about: 'Every rank keeps the whole model and all states.',
  },
  {
    stage: 1,
    word: 'states',
    sharded: 'optimiser states are sharded',
    torch: 'ZeroRedundancyOptimizer',
    about: 'Each rank steps some of the parameters and broadcasts them.',
  },
  {
    stage: 2,
    word: '+ grads',
    sharded: 'gradients and optimiser states are sharded',
    torch: 'fully_shard(reshard_after_forward=False)',
    about: 'Parameters are gathered once in a step.',
  },
  {
    stage: 3,
    word: '+ params',
    sharded: 'parameters, gradients and optimiser states are sharded',
    torch: 'fully_shard',
    about: 'Each unit is gathered before it computes, in both passes, and then freed.',
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
