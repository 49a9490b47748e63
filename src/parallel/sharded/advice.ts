/**
 * Advice for a model that does not fit under DDP: compiles and plans the stages of ZeRO on the same number of ranks,
 * then stage 3 on more ranks, and names the first that fits. Mode ddp calls it when a run is refused, so it may be
 * slow.
 */
import { LockstepError } from '../../base/errors';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { planMemory } from '../../program/memory-planner';
import { type Config, LIMITS } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { TrainingKind } from '../../protocol/step-kind';
import type { MemoryAdvice } from '../facets/mode-checks';
import type { ModeInput } from '../mode-input';
import { compileShards, compileZero } from './compile';

export interface DdpOverBudget {
  readonly input: ModeInput;
  readonly kind: TrainingKind;
  readonly budgetBytes: number;
}

export function shardingAdvice(run: DdpOverBudget): MemoryAdvice | undefined {
  const { worldSize, batchSize, accumulate } = run.input.config;
  const onMore = [2, 4, 8]
    .map((factor) => factor * worldSize)
    .filter((ranks) => ranks <= LIMITS.worldSize && ranks * accumulate <= batchSize);
  const tried = [
    ...([1, 2, 3] as const).map((stage) => ({ stage, ranks: worldSize })),
    ...onMore.map((ranks) => ({ stage: 3 as const, ranks })),
  ];
  for (const { stage, ranks } of tried) {
    const bytes = needed(run, stage, ranks);
    if (bytes === undefined || bytes > run.budgetBytes) continue;
    const where = ranks === worldSize ? '' : ` on ${ranks} ranks`;
    return {
      text: `ZeRO stage ${stage}${where} would fit: ${WHAT[stage]}, and a rank then needs ${mebibytes(bytes)}. Set mode to "sharded"${ranks === worldSize ? '' : `, worldSize to ${ranks}`}${stage === 3 ? '' : ` and sharded.stage to ${stage}`}.`,
      instead: { mode: 'sharded', worldSize: ranks, sharded: { stage } },
    };
  }
  return undefined;
}

const WHAT = {
  1: 'each rank keeps the states of the optimiser for its share of the parameters',
  2: 'each rank keeps shards of gradients and states',
  3: 'each rank keeps shards of parameters, gradients and states',
} as const;

const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(2)} MiB`;

/** Bytes on the fullest rank; undefined if the run would be refused for another reason. */
function needed({ input, kind }: DdpOverBudget, stage: 1 | 2 | 3, ranks: number): number | undefined {
  const { pp: _pp, tp: _tp, dpShard: _dpShard, ...mesh } = input.config.mesh;
  const config: Config = {
    ...input.config,
    mode: 'sharded',
    worldSize: ranks,
    mesh: { ...mesh, dpReplicate: 1 },
    sharded: { ...input.config.sharded, stage },
  };
  const { batchSize, accumulate } = config;
  const rows = Array.from({ length: ranks }, () => Math.floor(batchSize / accumulate / ranks));
  const microBatches = kind.microBatches.map((each) => ({ ...each, rows }));
  try {
    const compile = stage < 2 ? compileZero : compileShards;
    const program = compile({ ...input, config }, { ...kind, microBatches }, initDeviceMesh(meshSizes(config)));
    return Math.max(...[...planMemory([program]).values()].map(({ bytes }) => bytes));
  } catch (error) {
    if (error instanceof LockstepError) return undefined;
    throw error;
  }
}
