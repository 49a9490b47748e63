/**
 * The part of the mode that is loaded when a run needs it. Only mode.ts imports this file. From stage 2 on, the step is
 * a single device's with FSDP's units as its sync; stages 0 and 1 are DDP's step.
 */
import { at } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import { meshSizes, openAxis } from '../../protocol/mesh-sizes';
import type { PlanInfo } from '../../protocol/session-info';
import type { TrainingKind } from '../../protocol/step-kind';
import { type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import { withDdpOfParts } from '../ddp/around-parts';
import { emitDdpStep, syncedOver } from '../ddp/step';
import { checkDevices } from '../even-mesh';
import type { ModeInput } from '../mode-input';
import { partitionOf } from '../step/partition-of';
import { placeStages } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import type { Step } from '../step/walk';
import { checkPlan } from '../tensor/check-plan';
import { planIn, withPlan } from '../tensor/plan';
import { planInfo } from '../tensor/plan-info';
import { checkPolicy } from './check-policy';
import { fsdpSync, OPTIMIZES_SHARDS } from './fsdp';
import { NO_DDP } from './no-ddp';
import { layoutsOf } from './pieces';
import { checkUnits, unitsOf } from './units';
import { unshardedGraphs } from './unsharded-graph';
import { zeroOne } from './zero-one';

export { shardedForm as closedForm } from './closed-form';
export { shardedNotices as notices, unusedSettings } from './notices';
export { shardingInfo } from './sharding-info';

/** The plan, if layers are cut, too. */
export const plan = (input: ModeInput, mesh: DeviceMesh): PlanInfo | undefined =>
  mesh.shape.tp > 1 ? planInfo(input, mesh) : undefined;

export function settle(input: ModeInput): Config {
  const { config } = input;
  checkDevices(config, openAxis(config.mode) === 'tp' ? 'a layer' : 'a replica');
  checkPolicy(config);
  checkUnits(config);
  checkReshardTo(config);
  if (config.sharded.stage === 1) checkZeroOne(config);
  if (config.sharded.stage < 2) {
    checkWholeLayers(config);
    return config;
  }
  const sharded = withDdpOfParts(config, NO_DDP);
  if (meshSizes(config).tp === 1) return sharded;
  const cut = withPlan(sharded);
  checkPlan({ ...input, config: cut });
  return cut;
}

function checkWholeLayers(config: Config): void {
  const { tp } = meshSizes(config);
  if (tp === 1) return;
  throw refusedSettings({
    settings: { 'sharded.stage': config.sharded.stage, 'mesh.tp': tp },
    why: 'only fully_shard, which is stage 2 or 3, shards layers that tp cuts',
    hint: 'Set sharded.stage to 2 or 3; DistributedDataParallel around cut layers is mode "tensor" with mesh.dpReplicate.',
  });
}

function checkReshardTo(config: Config): void {
  const { stage, reshardTo } = config.sharded;
  const { dpShard } = meshSizes(config);
  if (reshardTo === undefined || stage < 3 || dpShard % reshardTo === 0) return;
  throw refusedSettings({
    settings: { 'sharded.reshardTo': reshardTo, 'mesh.dpShard': dpShard },
    why: `PyTorch: “If passing reshard_after_forward as an int, it should be a factor of ${dpShard}, not ${reshardTo}”`,
    hint: 'Leave sharded.reshardTo out, or choose a number that divides the shards.',
  });
}

/**
 * ZeroRedundancyOptimizer broadcasts the parameters that each rank stepped, so all ranks must have the same gradients.
 */
function checkZeroOne({ sharded, ddp }: Config): void {
  const alone = ddp.join
    ? { 'ddp.join': true }
    : ddp.commHook.type === 'localSGD'
      ? { 'ddp.commHook': 'localSGD' }
      : undefined;
  if (!alone) return;
  throw refusedSettings({
    settings: { 'sharded.stage': sharded.stage, ...alone },
    why: 'each rank steps its share of the parameters for all ranks, so all of them must take part in every step',
    hint: 'Leave the setting out, or set sharded.stage to 0.',
  });
}

export function shards(config: Config, tensors: readonly TensorSpec[], { devices }: DeviceMesh): ShardMap {
  const layoutOf = layoutsOf(config);
  return shardMap(tensors, (tensor) => layoutOf(tensor, devices));
}

export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const { config } = input;
  const builder = new ProgramBuilder(mesh, input.ops);
  const stages = placeStages(builder, [0]);
  if (config.sharded.stage < 2) {
    const zero = config.sharded.stage === 1 ? zeroOneOf({ builder, stages, input, kind }) : undefined;
    const more = zero ? { isStepped: zero.isStepped, syncsBehind: [zero.sync] } : {};
    emitDdpStep({ builder, stages, input, ...more }, kind);
  } else emitStep(fsdpStep({ builder, stages, input, kind }));
  return builder.finish(config.mode, kind);
}

const zeroOneOf = ({ builder, stages, input, kind }: Pick<Step, 'builder' | 'stages' | 'input' | 'kind'>) =>
  zeroOne({ builder, kind, place: at(stages, 0), parameters: parameterList(input.config.model.layers) });

function fsdpStep(step: Pick<Step, 'builder' | 'stages' | 'input' | 'kind'>): Step {
  const { builder, stages, input, kind } = step;
  const place = at(stages, 0);
  const { syncEveryPass } = input.config.sharded;
  const passes = {
    ...kind,
    microBatches: kind.microBatches.map((each) => (syncEveryPass ? { ...each, gradients: 'set' as const } : each)),
  };
  const whole = wholeGraphs(input, passes, {
    syncedIn: ({ rows }) => syncedOver(input.config, place, rows),
    partitionOf: builder.mesh.shape.tp > 1 ? partitionOf(planIn(input.config), builder.mesh) : undefined,
  });
  const graphOf = unshardedGraphs(whole, syncEveryPass ? 'microBatch' : 'run');
  const sync = fsdpSync({ builder, input, kind, place, units: unitsOf(input.config) });
  return {
    ...step,
    order: oneAfterTheOther(kind),
    syncs: [sync],
    graphOf,
    ...OPTIMIZES_SHARDS,
  };
}
