/**
 * fully_shard around each stage of a pipeline: the settings that are refused, the syncs, the bytes that ranks send, and
 * the bytes that rank 0 keeps. Called by axes/stages.
 */
import { refusedSettings } from '../../base/refused-settings';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import type { ShardingInfo } from '../../protocol/session-info';
import { halvesBackward } from '../../schedules/actions-of';
import type { ModeInput } from '../mode-input';
import { OPTIMIZES_SHARDS } from '../sharded/fsdp';
import { fsdpOfStages } from '../sharded/fsdp-of-stages';
import { NO_DDP } from '../sharded/no-ddp';
import { shardingInfo } from '../sharded/sharding-info';
import { checkUnits } from '../sharded/units';
import { unshardedGraphs } from '../sharded/unsharded-graph';
import type { AroundStages } from './around-stages';
import { shardsForm } from './shards-form';
import { scheduleOf } from './stage-graphs';
import { tiesOf } from './ties';
import { unitsOfStages } from './units-of-stages';

export const shardsAroundStages: AroundStages = {
  ddpSettings: NO_DDP,
  check,
  notices,
  wrap({ graphOf, schedule: _, ...step }) {
    const syncs = [fsdpOfStages({ ...step, units: unitsOfStages(step.input.config) })];
    return { graphOf: unshardedGraphs(graphOf, 'batch'), syncs, sumsPartials: true, ...OPTIMIZES_SHARDS };
  },
  closedForm: shardsForm,
  sharding: shardsOfFirstRank,
};

/** Describes the shards that the first rank keeps of its stages. */
function shardsOfFirstRank(input: ModeInput, mesh: DeviceMesh): ShardingInfo {
  const { rankOfStage } = scheduleOf(input.config);
  const own = rankOfStage.flatMap((rank, stage) => (rank === 0 ? [stage] : []));
  return shardingInfo(input, mesh, { stages: unitsOfStages(input.config), own });
}

function check(config: Config): void {
  const { reshardTo } = config.sharded;
  if (reshardTo !== undefined)
    throw refusedSettings({
      settings: { 'sharded.reshardTo': reshardTo, mode: config.mode },
      why: 'in a pipeline a unit that a backward pass has gathered stays whole for the next micro-batch, so ranks would disagree on which of them gather next',
      hint: 'Leave sharded.reshardTo out, or choose mode "sharded".',
    });
  checkUnits(config);
  const [tie] = tiesOf(config);
  if (tie)
    throw refusedSettings({
      settings: {
        mode: config.mode,
        'mesh.dpShard': meshSizes(config).dpShard,
        'pipeline.split': config.pipeline.split,
      },
      why: `the stages ${tie.stages.slice(0, -1).join(', ')} and ${tie.stages.at(-1)} share the weight ${tie.name}, and fully_shard around one stage does not know the others`,
      hint: 'Put both layers into one stage, or set sharded.stage to 0 for DistributedDataParallel around each stage.',
    });
}

function notices(config: Config): readonly Notice[] {
  if (!halvesBackward(scheduleOf(config))) return [];
  return [
    {
      level: 'warning',
      id: 'pipeline-shards-halves',
      text: 'PyTorch 2.13 trains this run wrongly, without an error: where a stage inside fully_shard computes its backward pass in two halves (I and W), the gradients of these micro-batches are lost. This run keeps them.',
      hint: 'For a correct script in PyTorch 2.13, choose 1F1B, GPipe, LoopedBFS or Interleaved1F1B.',
    },
  ];
}
