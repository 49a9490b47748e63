/**
 * What of the mode is fetched when a run needs it, under one name: see mode.ts, its only caller. The step is that of a
 * single device or of DDP, each rank with its own part of the graph.
 */
import type { DeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import type { TrainingKind } from '../../protocol/step-kind';
import { type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import { withDdpOfParts } from '../ddp/around-parts';
import { emitDdpStep } from '../ddp/step';
import { checkDevices, checkNotZeroOne } from '../even-mesh';
import type { ModeInput } from '../mode-input';
import { layoutsOf } from '../sharded/pieces';
import { partitionOf } from '../step/partition-of';
import { placeStages } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import { sumPartials } from '../step/sum-partials';
import { DDP_OF_GROUPS } from './ddp-of-groups';

import { checkPlan, planIn, withPlan } from './plan';

export { tensorForm as closedForm } from './closed-form';
export { tensorNotices as notices } from './notices';
export { planInfo } from './plan-info';

export function settle(input: ModeInput): Config {
  checkDevices(input.config, 'a layer');
  checkNotZeroOne(input.config);
  const config = withDdpOfParts(withPlan(input.config), DDP_OF_GROUPS);
  checkPlan({ ...input, config });
  return config;
}

export function shards(config: Config, tensors: readonly TensorSpec[], { devices }: DeviceMesh): ShardMap {
  const layoutOf = layoutsOf(config);
  return shardMap(tensors, (tensor) => layoutOf(tensor, devices));
}

export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const { config } = input;
  const builder = new ProgramBuilder(mesh, input.ops);
  const stages = placeStages(builder, [0]);
  const cuts = partitionOf(planIn(config), mesh);
  const sums = sumPartials({ builder, algorithm: config.ddp.algorithm, stages });
  if (mesh.dataIndices > 1) emitDdpStep({ builder, stages, input, partitionOf: cuts, syncsBehind: [sums] }, kind);
  else {
    const graphOf = wholeGraphs(input, kind, { partitionOf: cuts });
    emitStep({ builder, input, kind, stages, order: oneAfterTheOther(kind), syncs: [sums], graphOf });
  }
  return builder.finish('tensor', kind);
}
